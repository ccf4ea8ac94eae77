#!/bin/sh
# Installs the tools that scripts/bench-peers.sh compares with ragfaith, about 2.5 GB, in
# PEERS_INSTALLED. Needs python3 with venv and pip, and npm.
set -eu
dir=${PEERS_INSTALLED:-${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/peers}

# venv NAME PACKAGE... creates a virtual environment with the packages.
venv() {
	path=$dir/$1
	shift
	if [ ! -e "$path" ]; then
		rm -rf "$path.part"
		python3 -m venv "$path.part"
		"$path.part/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
		mv "$path.part" "$path"
	fi
}
mkdir -p "$dir"
# Ragas sets no upper bounds, but fails to import with later versions of these.
venv ragas ragas==0.4.3 'langchain-community<0.4' 'langchain<1' 'langchain-openai<1' 'langchain-core<1' instructor openai
venv deepeval deepeval==4.3.1
if [ ! -e "$dir/promptfoo" ]; then
	rm -rf "$dir/promptfoo.part"
	mkdir "$dir/promptfoo.part"
	(cd "$dir/promptfoo.part" && npm install --no-audit --no-fund --loglevel=error promptfoo@0.121.20)
	mv "$dir/promptfoo.part" "$dir/promptfoo"
fi
