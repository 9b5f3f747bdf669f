"""The two scripts for the far side, in POSIX shell; :mod:`raidctl.runners.remote` puts its words in for ``@LINES@``."""

from __future__ import annotations

PATHS = r"""
LC_ALL=C LANG=C
for place in /usr/local/sbin /usr/sbin /sbin /usr/local/bin /usr/bin /bin /opt/bin; do
  case ":$PATH:" in *":$place:"*) ;; *) PATH=${PATH:+$PATH:}$place ;; esac
done
export PATH LC_ALL LANG
unset CDPATH ENV IFS
"""

FILES = (
    PATHS
    + r"""
exec 4>&1 </dev/null
cd /

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
  for path do
    case $path in /*) ;; *) continue ;; esac
    if [ -f "$path" ] && [ -x "$path" ]; then
      real=$(readlink -f -- "$path" 2>/dev/null)
      printf '%s' "${real:-$path}"
      break
    fi
  done
  printf '%s>0' "$mark"
}

unknown() { printf '%s<%s>1' "$mark" "$mark"; }

@LINES@
printf '%s.' "$mark"
"""
)

PROGRAM = (
    PATHS
    + r"""
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
)
