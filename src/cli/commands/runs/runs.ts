import type { Command } from 'commander'
import type { Run } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { runJson } from '../../../present/json/run-json.js'
import { batchJson } from '../../../present/json/batch-json.js'
import { refuseSecretTags } from '../../../config/refused-secrets.js'
import { makeWordReader, positiveSeconds, wholeNumber } from '../../../config/values/option-values.js'
import { readSince } from '../../../config/values/since.js'
import { modelLabel } from '../../../present/text/results/run-header.js'
import { chooseRuns, runSorts, type RunChoice } from '../../../reading/runs/choose-runs.js'
import { firstScore } from '../../../reading/runs/first-score.js'
import { stoppedJson, stoppedRun } from '../../../reading/runs/stopped-run.js'
import { runList, runPage, type ListedRun } from '../../../present/text/run-list.js'
import type { DefineCommand, Tools } from '../../command.js'
import { addSubcommand, type OutputFlags } from '../../flags/evaluation-options.js'
import { withRunFilters } from '../../flags/run-filters.js'
import { removeRuns, type RemoveFlags } from './runs-remove.js'
import { watchRuns, type WatchFlags } from './runs-watch.js'
import { openRun, locateStore, withOpenStore } from '../../open-run.js'

type RunsFlags = OutputFlags & { readonly store?: string }
type ListFlags = RunsFlags & Omit<RunChoice, 'since' | 'before'> & { readonly since?: string }
type TagFlags = RunsFlags & { readonly remove?: readonly string[] }

const help = `
Examples:
  pipeline runs
  pipeline runs list --limit 20
  pipeline runs list --task 'mmmu*' --model qwen --since 7d --sort score
  pipeline runs show last
  pipeline runs watch
  pipeline runs tag last baseline 'paper: table 2' --remove draft
  pipeline runs list --tag baseline
  pipeline runs rm calm-heron-19c2
  pipeline runs rm --older-than 30d --tag draft --dry-run
  pipeline runs rm 'nightly/*' --state incomplete --yes`

/** Defines `pipeline runs`. */
export const defineRuns: DefineCommand = (command, tools) => {
  const subcommand = (name: string, summary: string): Command => addSubcommand(command, { name, summary, help })
  command.addHelpText('after', help)
  withRunFilters(subcommand('list', 'list all runs, the newest last'))
    .option(
      '--limit <n>',
      'maximum number of runs: the newest, or with --sort the first ones',
      wholeNumber('--limit', { min: 1 }),
    )
    .option('--since <time>', 'only runs made since: an age (2d, 3h) or a date (2026-11-20)')
    .option(
      '--sort <by>',
      'date (default), score (the best of each metric first) or name',
      makeWordReader('--sort', runSorts),
    )
    .action((flags: ListFlags) => list(flags, tools))
  subcommand('show', 'show a run: settings, counts, scores and history')
    .argument('<run>', 'name, end of its id, or last')
    .action((reference: string, flags: RunsFlags) => show(reference, flags, tools))
  subcommand('watch', 'show live which runs are being worked on')
    .argument('[run...]', 'runs to watch (default: all that a process works on)')
    .option('--once', 'print one overview and end')
    .option('--interval <seconds>', 'time between two looks at the store', positiveSeconds('--interval'), 1)
    .action((references: readonly string[], flags: WatchFlags) => watchRuns(references, flags, tools))
  subcommand('tag', 'add tags to a run, or remove them')
    .argument('<run>', 'name, end of its id, or last')
    .argument('[tag...]', 'tags to add: letters, digits, spaces and . _ - : /')
    .option('--remove <tag...>', 'tags to take away')
    .action((reference: string, tags: readonly string[], flags: TagFlags) => tag(reference, tags, flags, tools))
  withRunFilters(subcommand('rm', 'remove runs; answers stay in the store'))
    .argument('[run...]', "names, ends of ids, or patterns of names such as 'nightly/*'")
    .option('--older-than <age>', 'only runs that were made before: an age (30d, 2w) or a date (2026-11-20)')
    .option('--dry-run', 'list what would be removed, and remove nothing')
    .option('--yes', 'remove several runs without a question')
    .action((references: readonly string[], flags: RemoveFlags) => removeRuns(references, flags, tools))
}

async function list({ since, ...flags }: ListFlags, tools: Tools): Promise<void> {
  const choice = {
    ...flags,
    ...(since !== undefined && { since: readSince('--since', since, tools.clock.wallNow()) }),
  }
  const [listed, isEmpty] = await withOpenStore(locateStore(flags, tools), 'read', async store => {
    const tags = await store.runs.tags()
    const runs = await chooseRuns(store, choice, modelLabel)
    const described = await Promise.all(runs.map(run => describe(store, run, tags.get(run.ref) ?? [])))
    return [described, (await store.runs.newest()) === undefined] as const
  })
  if (flags.json === true) tools.terminal.printData(JSON.stringify(listed.map(forPrograms), undefined, 2))
  else if (listed.length === 0 && !isEmpty) tools.terminal.print('no run fits. All runs: pipeline runs list --all')
  else tools.terminal.print(runList(listed, tools.terminal.paint.out))
}

async function show(reference: string, flags: RunsFlags, tools: Tools): Promise<void> {
  const listed = await withOpenStore(locateStore(flags, tools), 'read', async store =>
    describeOne(store, (await openRun(store, reference)).run),
  )
  if (flags.json === true) tools.terminal.printData(JSON.stringify(forPrograms(listed), undefined, 2))
  else tools.terminal.print(runPage(listed, tools.terminal.paint.out))
}

async function tag(reference: string, add: readonly string[], flags: TagFlags, tools: Tools): Promise<void> {
  refuseSecretTags(add, tools.env)
  const { name, tags } = await withOpenStore(locateStore(flags, tools), 'change', async store => {
    const { run } = await openRun(store, reference)
    return { name: run.name, tags: await store.runs.tag(run, { add, ...(flags.remove && { remove: flags.remove }) }) }
  })
  if (flags.json === true) tools.terminal.printData(JSON.stringify({ run: name, tags }))
  else if (flags.quiet !== true)
    tools.terminal.print(tags.length === 0 ? `${name} has no tags` : `${name}: ${tags.join(', ')}`)
}

const describeOne = async (store: Store, run: Run): Promise<ListedRun> =>
  describe(store, run, (await store.runs.tags()).get(run.ref) ?? [])

async function describe(store: Store, run: Run, tags: readonly string[]): Promise<ListedRun> {
  const counts = await store.runs.counts(run)
  const judgements = await store.judgements.list(run)
  const batches = await store.batches.open(run)
  const stopped = await stoppedRun(store, run, { counts, judgements })
  return { run, tags, counts, judgements, batches, ...(stopped && { stopped }) }
}

const forPrograms = ({ run, tags, counts, judgements, batches, stopped }: ListedRun) => ({
  ...runJson(run, tags),
  asked: run.asked,
  provenance: run.provenance,
  counts,
  judgements: judgements.map(({ number, createdAt, finishedAt }) => ({
    number,
    created_at: new Date(createdAt).toISOString(),
    is_finished: finishedAt !== undefined,
  })),
  score: scoreJson(judgements),
  batches: batches.map(batchJson),
  stopped: stoppedJson(stopped),
})

function scoreJson(judgements: ListedRun['judgements']) {
  const first = firstScore(judgements)
  if (first === undefined) return null
  const { task, metric, filter, value, interval, n, total } = first.aggregate
  return { task, metric, filter, value, interval, n, total }
}
