# Runs on a node around one process of a run. Arguments: KEY GRACE FOLDER CPUS NAME=VALUE... PROGRAM ARGUMENT...
# The process gets a session of its own, the given environment and nothing else. When standard input ends (the tool
# closed it, or the connection is gone) its group gets TERM and after GRACE seconds KILL. The exit status is its own.
# KEY names the record by which a later connection ends what is left (leftovers.sh).
key=$1 grace=$2 folder=$3 cpus=$4
shift 4
records=/tmp/rdmalab-guard-$(id -u)
mkdir -p -m 700 "$records" && [ -O "$records" ] || exit 126
cd "$folder" || exit 126
if [ "$cpus" = - ]; then
    set -- env -i "$@"
else
    set -- taskset --cpu-list "$cpus" env -i "$@"
fi
exec 3<&0 </dev/null
# In the background of a shell without job control setsid does not fork: this is the process itself.
setsid "$@" 3<&- &
child=$!
record=$records/$key.$child
read -r stat <"/proc/$child/stat" && set -- ${stat##*) } && echo "${20}" >"$record"
{
    while read -r _ <&3; do :; done
    kill -s TERM -- -"$child"
    kill -s CONT -- -"$child"
    sleep "$grace"
    kill -s KILL -- -"$child"
} >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$child"
status=$?
kill "$watch" 2>/dev/null
kill -s KILL -- -"$child" 2>/dev/null  # what the process itself left in its group
rm -f "$record"
exit "$status"
