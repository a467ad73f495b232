#!/bin/sh
# Writes a local OCI layout with one image and its receipt. Never pushes, tags, signs or logs in (15:9-13).
# usage: sh scripts/addons/package.sh --layout DIR --version SEMVER --platform OS/ARCH [--config addons/ID/package/platforms.yaml]
#   [--executable FILE] [--revision COMMIT] [--json]
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
case " $* " in
*" --config "*) ;;
*) set -- --config "$here/addons/tables/package/platforms.yaml" "$@" ;;
esac
exec node "$here/dist/cli/main.js" package build "$@"
