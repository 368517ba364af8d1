#compdef redbench
# zsh completion of redbench: redbench itself says what fits (`redbench completion --complete WORDS`).
_redbench() {
  local -a answer closed open
  local word added program=${(Q)words[1]}
  answer=("${(@f)$(${program/#\~\//$HOME/} completion --complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  added=$answer[1]
  shift answer
  for word in $answer; do
    if [[ $word == *[=/] ]]; then open+=("$word"); else closed+=("$word"); fi
  done
  compadd -a closed
  compadd -S '' -a open
  [[ $PREFIX == --*=* ]] && compset -P '*='
  case $added in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ $funcstack[1] == _redbench ]]; then _redbench "$@"; else compdef _redbench redbench; fi
