#!/bin/bash
# YAML reads \n as a line break in double quotes alone. validate says where a prompt holds a backslash and an n.
: "${PIPELINE:?set PIPELINE to the command}"
cd "$(dirname "$0")"
$PIPELINE tasks validate ./t.yaml
