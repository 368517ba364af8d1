# fish completion of redbench: redbench itself says what fits (`redbench completion --complete WORDS`).
function __redbench_offers
    set -l words (commandline -opc) (commandline -ct)
    set -l answer ($words[1] completion --complete $words[2..-1] 2>/dev/null)
    printf '%s\n' $answer[2..-1]
end
complete -c redbench -f -a '(__redbench_offers)'
