#!/bin/sh
# Installs the tools that scripts/bench-peers.sh times beside ragfaith, some 2.5 GB,
# where it looks for them. It needs python3 with venv and pip, and npm.
set -eu
dir=${PEERS_INSTALLED:-${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/peers}
venv() { # FOLDER PACKAGE...
	at=$dir/$1
	shift
	if [ ! -e "$at" ]; then
		rm -rf "$at.part"
		python3 -m venv "$at.part"
		"$at.part/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
		mv "$at.part" "$at"
	fi
}
mkdir -p "$dir"
# Ragas names no upper bounds; with later ones of these it fails at import.
venv ragas ragas==0.4.3 'langchain-community<0.4' 'langchain<1' 'langchain-openai<1' 'langchain-core<1' instructor openai
venv deepeval deepeval==4.3.1
if [ ! -e "$dir/promptfoo" ]; then
	rm -rf "$dir/promptfoo.part"
	mkdir "$dir/promptfoo.part"
	(cd "$dir/promptfoo.part" && npm install --no-audit --no-fund --loglevel=error promptfoo@0.121.20)
	mv "$dir/promptfoo.part" "$dir/promptfoo"
fi
