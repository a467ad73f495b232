#!/bin/sh
# Decides what an event may publish; the one place that does (15:108-121). Prints publish=, immutable= and moving=.
# usage: sh scripts/addons/channel.sh --event NAME --ref FULL_REF --sha COMMIT [--draft true|false] [--prerelease true|false]
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
exec node "$here/dist/cli/main.js" package channel "$@"
