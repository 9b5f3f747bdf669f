# fish completion of raidctl
function __raidctl_complete
    set -l line (commandline -cp | string collect)
    for answer in (env COMP_LINE=$line _RAIDCTL_COMPLETE=fish_complete raidctl 2>/dev/null)
        set -l parts (string split --max 1 , -- $answer)
        switch $parts[1]
            case plain
                printf '%s\n' $parts[2]
            case file
                __fish_complete_path (commandline -ct)
            case dir
                __fish_complete_directories (commandline -ct)
        end
    end
end
complete --command raidctl --no-files --arguments '(__raidctl_complete)'
