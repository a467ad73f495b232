#!/bin/sh
exec "/proc/$PPID/exe" "${0%/*}/tables.cjs" "$@"
