# Starts media-server.mjs in a new folder $W, changes into it, and writes a task for the rows of ./t.jsonl, whose medium is the field "m".
# It sets ADDRESS. The folder and the server are gone when the case ends.
: "${PIPELINE:?set PIPELINE to the command}" "${CHECKOUT:?set CHECKOUT to the folder of the checkout}"
W=$(mktemp -d) && cd "$W" || exit 1
export OPENAI_API_KEY=x ANTHROPIC_API_KEY=x PIPELINE_STORE=$W/store
node "$CHECKOUT/tests/cases/lib/media-server.mjs" "$W" &
SERVER=$!
trap 'kill $SERVER; rm -rf "$W"' EXIT
until [ -e address ]; do sleep 0.05; done
ADDRESS=$(cat address)
cat > t.yaml <<Y
task: t
dataset_path: ./t.jsonl
doc_to_visual: m
doc_to_text: "{{id}}"
doc_to_target: "{{'yes'}}"
metric_list: [{metric: exact_match}]
Y
