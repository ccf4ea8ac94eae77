#!/usr/bin/env bash
# Runs ragfaith score with the inputs of the action and exits with its exit code: the
# second step of action.yml. ragfaith itself writes the step summary and the outputs
# mean, lower and passed.
#
# Each input becomes one argument, or one per line, and is never evaluated.
set -euo pipefail

args=(score)

# flag NAME VALUE adds a flag if the value is not empty. Name and value are one
# argument, so that a value starting with - is not read as a flag.
flag() {
	if [ -n "$2" ]; then
		args+=("$1=$2")
	fi
}

# each_line FUNCTION TEXT calls a function with each line that is not blank.
each_line() {
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

# dataset PATTERN adds a file, or all files that match a pattern. A pattern without a
# match is passed on, so that ragfaith reports it.
dataset() {
	local IFS=''
	if [ -e "$1" ]; then
		args+=("$1")
	else
		# shellcheck disable=SC2206 # expands the pattern; the empty IFS prevents splitting
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
each_line output "${INPUT_OUTPUT:-}"
each_line argument "${INPUT_ARGS:-}"
args+=(--)
each_line dataset "${INPUT_DATASET:-}"

code=0
ragfaith "${args[@]}" || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
