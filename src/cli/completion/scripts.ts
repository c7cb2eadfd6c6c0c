/** Scripts that make a shell ask the program what may come next on a line. */

/** The shells that have a script. */
export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** By shell. Each calls `pipeline completion suggest` with the words up to the cursor. Without suggestions, the shell completes files. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# pipeline completion bash: eval "$(pipeline completion bash)" in ~/.bashrc
_pipeline() {
  local name about
  COMPREPLY=()
  while IFS=$'\\t' read -r name about; do
    COMPREPLY+=("$name")
  done < <(pipeline completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _pipeline pipeline
`,
  zsh: `#compdef pipeline
# pipeline completion zsh: eval "$(pipeline completion zsh)" in ~/.zshrc, after compinit
_pipeline() {
  local name about
  local -a names lines
  while IFS=$'\\t' read -r name about; do
    names+=("$name")
    lines+=("$name\${about:+  -- $about}")
  done < <(pipeline completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#names )); then
    compadd -l -d lines -a names
  else
    _files
  fi
}
if [[ "$funcstack[1]" = _pipeline ]]; then
  _pipeline "$@"
else
  compdef _pipeline pipeline
fi
`,
  fish: `# pipeline completion fish: pipeline completion fish > ~/.config/fish/completions/pipeline.fish
function __pipeline_suggest
  set -l words (commandline -opc)
  set -e words[1]
  pipeline completion suggest -- $words (commandline -ct) 2>/dev/null
end
complete -c pipeline -k -a '(__pipeline_suggest)'
`,
}
