#!/usr/bin/env bash
# The second step of action.yml: runs ragfaith score with what the inputs say, and
# ends with its exit code. ragfaith itself writes the report into the summary of
# the step, and mean, lower and passed into its outputs.
#
# An input is text: it becomes one argument, or one for each of its lines, and no
# shell reads it.
set -euo pipefail

args=(score)

# flag NAME VALUE adds a flag that has a value. It is one argument, so that no
# value can be taken for a flag.
flag() {
	if [ -n "$2" ]; then
		args+=("$1=$2")
	fi
}

# each CALL TEXT calls with each line of a text that is not blank.
each() {
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		line=${line%$'\r'}
		line=${line#"${line%%[![:space:]]*}"}
		line=${line%"${line##*[![:space:]]}"}
		if [ -n "$line" ]; then
			$1 "$line"
		fi
	done <<<"$2"
}

output() { flag --output "$1"; }
argument() { args+=("$1"); }

# dataset adds a file, or those that a pattern stands for. A pattern that none is
# like stays as it is, for ragfaith to name.
dataset() {
	local IFS=''
	if [ -e "$1" ]; then
		args+=("$1")
	else
		# shellcheck disable=SC2206 # paths are to be expanded, and IFS keeps them whole
		args+=($1)
	fi
}

flag --judge "${INPUT_JUDGE:-}"
flag --model "${INPUT_MODEL:-}"
flag --base-url "${INPUT_BASE_URL:-}"
flag --min-mean "${INPUT_MIN_MEAN:-}"
flag --min-lower "${INPUT_MIN_LOWER:-}"
flag --max-failed "${INPUT_MAX_FAILED:-}"
flag --summary "${INPUT_SUMMARY:-}"
each output "${INPUT_OUTPUT:-}"
each argument "${INPUT_ARGS:-}"
args+=(--)
each dataset "${INPUT_DATASET:-}"

code=0
ragfaith "${args[@]}" || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
