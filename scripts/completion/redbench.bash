# bash completion of redbench: redbench itself says what fits (`redbench completion --complete WORDS`).
_redbench() {
  local LC_ALL=C
  local line=${COMP_LINE:0:COMP_POINT} program=${1/#\~\//$HOME/} words=() before='' piece rest i
  # bash cuts words at = and : too. What no blank stands before belongs to the word before it.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=${line#"${line%%[! $'\t']*}"}
    piece=${COMP_WORDS[i]}
    ((i < COMP_CWORD)) || piece=$rest
    if ((i > 0)) && [[ $rest == "$line" && -n $line ]]; then
      before=${words[-1]}
      words[-1]+=$piece
      [[ $piece == *[!=:]* ]] || before=${words[-1]}
    else
      before=''
      words+=("$piece")
    fi
    line=${rest#"$piece"}
  done
  mapfile -t COMPREPLY < <("$program" completion --complete "${words[@]:1}" 2>/dev/null)
  local added=${COMPREPLY[0]}
  COMPREPLY=("${COMPREPLY[@]:1}")
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
  case $added in  # bash completes paths that are quoted where nothing else fits
    files)
      compopt -o filenames -o default
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "${words[-1]#"$before"}")
      ;;
    folders) compopt -o filenames -o dirnames ;;
    *) [[ ${#COMPREPLY[@]} != 1 || $COMPREPLY != *[=/] ]] || compopt -o nospace ;;
  esac
}
complete -F _redbench redbench
