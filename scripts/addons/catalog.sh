#!/bin/sh
# Renders the development entries of every add-on of this checkout (04, "The official library").
# usage: sh scripts/addons/catalog.sh --channel development --repository HOST/PATH --out FILE [--check]
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
exec node "$here/dist/cli/main.js" package catalog --addons "$here/addons" "$@"
