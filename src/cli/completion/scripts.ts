/** Scripts that make a shell ask the program what may come next on a line. */

/** The shells that have a script. */
export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** By shell. Each calls `pipeline completion suggest` with the words up to the cursor. Without suggestions, the shell completes files. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# pipeline completion bash: eval "$(pipeline completion bash)" in ~/.bashrc
_pipeline() {
  local name about part trimmed rest=\${COMP_LINE#*"\${COMP_WORDS[0]}"} count=0
  local -a words=()
  # Bash breaks words at : and =. Parts with no blank between them are one word.
  for part in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    trimmed=\${rest#"\${rest%%[![:space:]]*}"}
    if [[ -n $part && $trimmed == "$rest" ]] && (( count )); then
      words[count-1]+=$part
    else
      words[count]=$part
      (( count += 1 ))
    fi
    rest=\${trimmed#"$part"}
  done
  local current=\${words[count-1]}
  COMPREPLY=()
  while IFS=$'\\t' read -r name about; do
    COMPREPLY+=("\${name#"\${current%"\${current##*[:=]}"}"}")
  done < <(pipeline completion suggest -- "\${words[@]}" 2>/dev/null)
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
  set -l found (pipeline completion suggest -- $words (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c pipeline -f -k -a '(__pipeline_suggest)'
`,
}
