import { Option, type Command } from 'commander'

interface UnusedFlag {
  readonly flags: string
  /** Why it does nothing. */
  readonly why: string
}

const uploaded = 'results are kept in the store, and written with --output-path'

/** Flags of lmms-eval that stand in command lines that people have, and say nothing here. */
export const unusedFlags: readonly UnusedFlag[] = [
  { flags: '-b, --batch-size <n>', why: 'requests are scheduled one by one; --concurrency sets how many at once' },
  { flags: '--max-batch-size <n>', why: 'requests are scheduled one by one' },
  { flags: '--device <name>', why: 'a server has its own, and a local model computes on the processor' },
  { flags: '-c, --use-cache <dir>', why: 'every answer is kept in the store (--store) and taken from there' },
  { flags: '--cache-requests <mode>', why: 'what docs become is kept in the store' },
  { flags: '--check-integrity', why: 'pipeline tasks validate checks tasks, pipeline cache verify the store' },
  { flags: '-w, --write-out', why: 'pipeline tasks show NAME shows a doc as it is asked' },
  { flags: '--log-samples-suffix <text>', why: 'files are named by run and task' },
  { flags: '--wandb-args <args>', why: uploaded },
  { flags: '--wandb-log-samples', why: uploaded },
  { flags: '--swanlab-args <args>', why: uploaded },
  { flags: '--swanlab-log-samples', why: uploaded },
  { flags: '--hf-hub-log-args <args>', why: uploaded },
  { flags: '--apply-chat-template', why: 'conversations are sent as such, and the server applies its template' },
  { flags: '--show-config', why: 'pipeline report RUN --json has it all' },
  { flags: '-v, --verbosity <level>', why: 'there is one; --quiet tells less' },
  { flags: '--timezone <name>', why: 'times are written in UTC' },
  { flags: '--trust-remote-code', why: 'no code comes with datasets' },
  { flags: '--process-with-media', why: 'scores are made of answers and fields, never of media' },
  { flags: '--agentic-trace-mode <mode>', why: 'conversations are always kept whole' },
  { flags: '--baseline <run>', why: 'pipeline compare RUN_A RUN_B compares two runs' },
]

/** Adds them to a command. */
export function withUnusedFlags(command: Command): Command {
  command.optionsGroup('Of lmms-eval, taken and left unused (a note says why):')
  for (const { flags, why } of unusedFlags) command.addOption(new Option(flags, why))
  return command
}

/** One note on all that were given; none where none was. Values are not shown: they may hold secrets. */
export function unusedNote(given: Readonly<Record<string, unknown>>): string | undefined {
  const found = unusedFlags.flatMap(({ flags, why }) => {
    const option = new Option(flags)
    return given[option.attributeName()] === undefined ? [] : [`${option.long ?? flags} (${why})`]
  })
  return found.length === 0 ? undefined : `no effect here: ${found.join(', ')}`
}
