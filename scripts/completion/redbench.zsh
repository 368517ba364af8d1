#compdef redbench
# zsh completion of redbench: redbench itself says what fits (`redbench completion --complete WORDS`).
_redbench() {
  local -a answer closed open files
  local one program=${(Q)words[1]}
  answer=("${(@f)$(${program/#\~\//$HOME/} completion --complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  [[ $answer[1] == paths ]] && files=(-f)
  shift answer
  for one in $answer; do
    if [[ $one == *[=/] ]]; then open+=("$one"); else closed+=("$one"); fi
  done
  compadd $files -a closed
  compadd $files -S '' -a open
}
if [[ $funcstack[1] == _redbench ]]; then _redbench "$@"; else compdef _redbench redbench; fi
