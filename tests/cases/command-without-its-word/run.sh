#!/bin/bash
# Help for a command that does not exist, and a group of commands without one of them. Right: the error names what there is.
D=$(mktemp -d); trap 'rm -rf "$D"' EXIT; cd "$D"
$PIPELINE help evl; echo "rc=$?"
$PIPELINE media; echo "rc=$?"
$PIPELINE launch; echo "rc=$?"
$PIPELINE runs help rmm; echo "rc=$?"
