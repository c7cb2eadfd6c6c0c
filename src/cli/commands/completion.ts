import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { oneLine, visibleText } from '../../../base/text/visible-text.js'
import type { DefineCommand, Tools } from '../command.js'
import { completionScripts, shells } from '../completion/scripts.js'

const help = `
Examples:
  eval "$(pipeline completion bash)"                                          in ~/.bashrc
  eval "$(pipeline completion zsh)"                                           in ~/.zshrc, after compinit
  pipeline completion fish > ~/.config/fish/completions/pipeline.fish

Commands, flags, tasks, models, runs and tags are completed, those of the folder's pipeline.yaml, too.`

/** The subcommand that completion scripts call for suggestions. */
const suggest = 'suggest'

/** Defines `pipeline completion`. */
export const defineCompletion: DefineCommand = (command, tools) =>
  void command
    .argument('<shell>', shells.join(', '))
    .argument('[words...]', 'used by the scripts')
    .addHelpText('after', help)
    .action(async (name: string, words: readonly string[]) => {
      if (name === suggest) {
        await printSuggestions(words, tools)
        return
      }
      const shell = shells.find(candidate => candidate === name)
      if (shell === undefined)
        throw new PipelineError(
          'usage',
          `completion: expected ${shells.join(', ')}, given "${name}".${didYouMean(name, shells)}`,
        )
      tools.terminal.print(completionScripts[shell].trimEnd().split('\n'))
    })

async function printSuggestions(words: readonly string[], tools: Tools): Promise<void> {
  const [{ suggestWords }, { makeNameLookup }] = await Promise.all([
    import('../completion/suggest.js'),
    import('../completion/look-up-names.js'),
  ])
  const suggestions = await suggestWords(words, { commands: tools.commands, lookUp: makeNameLookup(tools) })
  const lines = suggestions.map(({ word, about }) =>
    about === undefined ? word : `${word}\t${oneLine(visibleText(about))}`,
  )
  if (lines.length > 0) tools.terminal.print(lines)
}
