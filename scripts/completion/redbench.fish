# fish completion of redbench: redbench itself says what fits (`redbench completion --complete WORDS`).
function __redbench_answer
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completion --complete $words[2..-1] 2>/dev/null
end
function __redbench_offers
    set -l answer (__redbench_answer)
    printf '%s\n' $answer[2..-1]
end
function __redbench_takes_paths
    not string match -q words (__redbench_answer)[1]
end
complete -c redbench -f -a '(__redbench_offers)'
# Where a folder is asked for, fish offers files, too.
complete -c redbench -F -n __redbench_takes_paths
