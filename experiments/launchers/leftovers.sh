# Runs on a node over a new connection: ends what an earlier one left there. Argument: KEY of the pair.
# A record's name ends in the process id and it holds the start time, so a number used again is not hit.
for record in "/tmp/rdmalab-guard-$(id -u)/$1".*; do
    [ -f "$record" ] || continue
    child=${record##*.}
    read -r started <"$record"
    stat=
    read -r stat 2>/dev/null <"/proc/$child/stat"
    set -- "$1" ${stat##*) }
    [ "${21}" = "$started" ] && kill -s KILL -- -"$child" && echo "ended process $child of a lost connection" >&2
    rm -f "$record"
done
exit 0
