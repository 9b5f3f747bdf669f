"""The scripts for the remote side, in POSIX shell.

The words for ``@LINES@`` come from :mod:`raidctl.runners.remote`.
"""

from __future__ import annotations

PATHS = r"""
LC_ALL=C LANG=C
for place in /usr/local/sbin /usr/sbin /sbin /usr/local/bin /usr/bin /bin /opt/bin; do
  case ":$PATH:" in *":$place:"*) ;; *) PATH=${PATH:+$PATH:}$place ;; esac
done
export PATH LC_ALL LANG
unset CDPATH ENV IFS
"""

_FILES = r"""
exec 4>&1 </dev/null
cd /
sep= batch=

# divide PLACE...: a file that divides others from each other; it is removed at once, and opened by its number
divide() {
  for place do
    name=$(mktemp "$place/raidctl-XXXXXXXXXX" 2>/dev/null) || continue
    printf '%s|' "$mark" >"$name"
    exec 9<"$name"
    rm -f -- "$name"
    sep=/proc/self/fd/9
    return
  done
}
# sure NUMBER PATH: whether a file of the kernel can be read together with others
sure() { [ -n "$sep" ] && [ -f "$2" ] && [ -r "$2" ] && batch="$batch $1"; }
# together PATH...: all of them at once; after an error each is taken by itself
together() {
  if [ $# -gt 0 ]; then
    printf '%s[%s\n' "$mark" "$batch"
    cat -- "$@" 2>/dev/null
    code=$?
    printf '%s]%s' "$mark" "$code"
    [ "$code" = 0 ] || batch=
  fi
}
# single NUMBER COMMAND...: what is not read yet
single() {
  case "$batch " in *" $1 "*) return ;; esac
  shift
  "$@"
}

# take LIMIT PATH: the bytes of a regular file
take() {
  printf '%s<' "$mark"
  if [ ! -f "$2" ] && [ -e "$2" ]; then
    said='not a regular file'; code=1
  else
    said=$({ head -c "$1" -- "$2" >&4; } 2>&1); code=$?
  fi
  printf '%s>%s %s' "$mark" "$code" "$said"
}

# list PATH...: those that exist; a pattern without a match comes as itself
list() {
  printf '%s<' "$mark"
  for path do
    if [ -e "$path" ] || [ -L "$path" ]; then printf '%s\0' "$path"; fi
  done
  printf '%s>0' "$mark"
}

# seek NAME PLACE...: the program, with links resolved
seek() {
  printf '%s<' "$mark"
  name=$1; shift
  case $name in
    */*) set -- "$name" "$@" ;;
    ?*) set -f; IFS=:; known=
        for place in $PATH; do known=${known:+$known:}$place/$name; done
        # shellcheck disable=SC2086
        set -- $known "$@"; unset IFS; set +f ;;
  esac
  found='' only=''
  for path do
    case $path in /*) ;; *) continue ;; esac
    [ -f "$path" ] || continue
    if [ -x "$path" ]; then found=$path; break; fi
    # only others may execute it: running it is refused later
    case $(ls -ldL -- "$path" 2>/dev/null) in
      -??[xs]* | -?????[xs]* | -????????[xt]*) only=${only:-$path} ;;
    esac
  done
  found=${found:-$only}
  if [ -n "$found" ]; then
    real=$(readlink -f -- "$found" 2>/dev/null)
    printf '%s' "${real:-$found}"
  fi
  printf '%s>0' "$mark"
}

unknown() { printf '%s<%s>1' "$mark" "$mark"; }

@LINES@
printf '%s.' "$mark"
"""

_PROGRAM = r"""
exec 3<&0 5>&2 </dev/null 2>/dev/null
@LINES@
box=

# account STATUS...: what became of it, and the end of both outputs
account() {
  printf '%s.' "$mark"
  printf '%s>%s%s.' "$mark" "$*" "$mark" >&5
}
refuse() {
  [ -z "$box" ] || { cd /; rm -rf -- "$box"; }
  printf '%s<' "$mark"
  printf '%s<' "$mark" >&5
  account "$@"
  exit 0
}
pause() { sleep 0.05 2>/dev/null || sleep 1; }

# whether the program is on the PATH: 0 yes, 1 no, 2 not for us; of a full path env tells itself
look() {
  case $program in /*) return 0 ;; */*) return 1 ;; esac
  state=1; set -f; IFS=:
  for place in $PATH; do
    if [ -f "$place/$program" ] && [ -x "$place/$program" ]; then state=0; break; fi
    [ ! -e "$place/$program" ] || state=2
  done
  unset IFS; set +f
  return "$state"
}

# own DIRECTORY: whether it is a directory of this user's alone, made now if need be
own() {
  mkdir -m 700 -- "$1" 2>/dev/null
  owner=$(ls -ldn -- "$1" 2>/dev/null) || return 1
  case $owner in drwx------*) ;; *) return 1 ;; esac
  # shellcheck disable=SC2086
  set -- $owner
  [ "$3" = "$(id -u)" ]
}
lock_places() {
  if [ "$(id -u)" = 0 ]; then
    printf '%s\n' /run/raidctl /run/lock/raidctl
  else
    case $XDG_RUNTIME_DIR in /*) printf '%s\n' "$XDG_RUNTIME_DIR/raidctl" ;; esac
    printf '%s\n' "/tmp/raidctl-$(id -u)" "/var/tmp/raidctl-$(id -u)"
  fi
}
locked() {
  command -v flock >/dev/null 2>&1 || return 0
  IFS='
'
  for place in $(lock_places); do
    unset IFS
    own "$place" || continue
    # a redirection that fails would end the shell
    (: 9>>"$place/$lock") || continue
    exec 9>>"$place/$lock"
    until flock -n 9; do
      [ "$(date +%s)" -lt "$deadline" ] || refuse busy "$(head -n 1 "$place/$lock" 2>/dev/null)"
      pause
    done
    echo "$$" >"$place/$lock"
    return 0
  done
  unset IFS
}

# end TARGET: TERM to it, KILL to what is there after the grace
end='end() {
  kill -TERM "$1" 2>/dev/null || return 0
  turns=$(($2 * 20))
  while [ "$turns" -gt 0 ] && kill -0 "$1" 2>/dev/null; do
    sleep 0.05 2>/dev/null || { sleep 1; turns=$((turns - 19)); }
    turns=$((turns - 1))
  done
  kill -KILL "$1" 2>/dev/null
}'
eval "$end"

look
case $? in 1) refuse missing ;; 2) refuse denied ;; esac
case $program in *=*) refuse failed "$program: cannot be told from a variable" ;; esac
deadline=$(($(date +%s) + whole_seconds))
[ -z "$lock" ] || locked
for place in /tmp /var/tmp /run /dev/shm; do
  box=$(mktemp -d "$place/raidctl-XXXXXXXXXX" 2>/dev/null) && break
done
[ -n "$box" ] && mkdir "$box/work" && cd "$box/work" || refuse failed 'no private directory to run it in'

# a session of its own: one signal reaches the program and its children
group=; sign=
if command -v setsid >/dev/null 2>&1; then group=setsid; sign=-; fi
printf '%s<' "$mark"
printf '%s<' "$mark" >&5
start
target=$sign$!; tool=$!
trap '' PIPE HUP
$group sh -c "$end"'
  sleep "$1" 2>/dev/null || sleep "$2"
  : >"$3/late"; end "$4" "$5"' \
  sh "$seconds" "$whole_seconds" "$box" "$target" "$grace" </dev/null >/dev/null 3<&- 5>&- 9>&- &
timer=$!
$group sh -c "$end"'
  cat >/dev/null
  : >"$1/late"; end "$2" "$3"' \
  sh "$box" "$target" "$grace" <&3 >/dev/null 3<&- 5>&- 9>&- &
lifeline=$!
wait "$tool"
code=$?
# by their own numbers first: whatever they are about to do, they must not do it to a number that is free now
for watch in "$timer" "$lifeline"; do
  kill -KILL "$watch"
  [ -z "$sign" ] || kill -KILL "-$watch"
done
late=
[ ! -e "$box/late" ] || late=yes
if [ -n "$late" ] || [ -z "$changes" ]; then
  # children of a program that has ended may still be writing their last lines
  turns=$((linger * 20))
  while [ -z "$late" ] && [ -n "$sign" ] && [ "$turns" -gt 0 ] && kill -0 "$target" 2>/dev/null; do
    sleep 0.05 2>/dev/null || { sleep 1; turns=$((turns - 19)); }
    turns=$((turns - 1))
  done
  [ -z "$sign" ] || end "$target" "$grace"
fi
if [ -n "$late" ]; then
  # what has left the session is known by its directory
  for stray in $(grep -lsF "TMPDIR=$box/work" /proc/[0-9]*/environ); do
    stray=${stray#/proc/}; kill -KILL "${stray%/environ}"
  done
fi
cd /
rm -rf -- "$box"
if [ -n "$late" ]; then account late; else account code "$code"; fi
"""

FILES = PATHS + _FILES
PROGRAM = PATHS + _PROGRAM

BUNDLE = (
    (
        PATHS
        + r"""
trap : PIPE HUP
exec 3<&0 </dev/null
spool=
# in memory first: the file systems of a machine in trouble are full or read-only
for place in /dev/shm /run /tmp /var/tmp; do
  spool=$(mktemp -d "$place/raidctl-XXXXXXXXXX" 2>/dev/null) && break
done
leave() {
  [ -z "$spool" ] || rm -rf -- "$spool"
  printf '%s~.' "$mark"
  printf '%s~.' "$mark" >&2
  exit 0
}
[ -n "$spool" ] && mkfifo "$spool/events" && exec 7<>"$spool/events" || leave

# keep NUMBER NAME BLOCKS: standard input into a file, up to a size
keep() {
  exec 6<&0
  (ulimit -f "$3"; exec cat <&6) >"$spool/$1.$2" 2>/dev/null &
  echo "$!" >"$spool/$1.$2.pid"
  wait "$!"
  printf 'kept %s\n' "$1" >&7
}
# begin NUMBER BLOCKS: a part, each of its outputs into a file; it is done before they are kept
begin() {
  { { ("part_$1") <&3 2>&1 >&8 3<&- 7>&- 8>&-; printf 'done %s\n' "$1" >&7; } |
    keep "$1" err "$2" 3<&- 8>&- >/dev/null; } 8>&1 2>/dev/null |
    keep "$1" out "$2" 3<&- >/dev/null 2>&1 &
}
# after NUMBER: what has left the session of its program may keep an output open
after() {
  (sleep "$linger"; printf 'late %s\n' "$1" >&7) </dev/null >/dev/null 2>&1 3<&- &
}
# emit NUMBER: its outputs, with their lengths before them
emit() {
  for output in out err; do
    [ "$event" = kept ] || kill "$(cat "$spool/$1.$output.pid")" 2>/dev/null
  done
  out=$(wc -c <"$spool/$1.out") err=$(wc -c <"$spool/$1.err")
  printf '%s#%s %s %s\n' "$mark" "$1" "$((out))" "$((err))"
  head -c "$((out))" "$spool/$1.out"
  head -c "$((err))" "$spool/$1.err"
  printf '%s;' "$mark"
  rm -f -- "$spool/$1."*
}

files() { @FILES@
}
program() { @PROGRAM@
}
@LINES@
while [ "$left" -gt 0 ] && read -r event number <&7; do
  eval "state=\$state_$number"
  case $event$state in
    done*) next "$number"; after "$number" ;;
    kept) eval "state_$number=half" ;;
    kepthalf | late | latehalf) emit "$number"; eval "state_$number=sent"; left=$((left - 1)) ;;
  esac
done
leave
"""
    )
    .replace("@PROGRAM@", _PROGRAM.replace("@LINES@", '"settings_$number"'))
    .replace("@FILES@", _FILES.replace("@LINES@", "requests"))
)
