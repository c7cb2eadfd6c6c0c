import type { Command } from 'commander'
import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { shownAddress } from '../../../base/text/server-address.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import { copyStore } from '../../../cache/bundle/copy-store.js'
import { onConflicts, type OnConflict } from '../../../cache/bundle/portable.js'
import { resolveLocation } from '../../../cache/location.js'
import { verifyStore } from '../../../cache/open.js'
import { makeWordReader } from '../../config/values/option-values.js'
import { batchJson } from '../../present/json/batch-json.js'
import { importJson } from '../../present/json/import-json.js'
import { importLines } from '../../present/text/import-lines.js'
import { batchList } from '../../present/text/batch-list.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import { statsLines, verifyLines } from '../../present/text/store-report.js'
import { missLines } from '../../present/text/comparing/why-miss.js'
import type { DefineCommand, Tools } from '../command.js'
import { withOutput, withStore, type OutputFlags } from '../flags/evaluation-options.js'
import { exitCode, type ExitCode } from '../exit-code.js'
import { boundHeapGrowth, growthOfImports } from '../this-process/heap-growth.js'
import { openRun, storeDir, locateStore, waitingOn, withOpenStore } from '../open-run.js'
import { withRunFilters } from '../flags/run-filters.js'
import { collectGarbage } from './cache-gc.js'
import type { RemoveFlags } from './runs/runs-remove.js'
import { storeFlag } from '../flags/store-flag.js'

type CacheFlags = OutputFlags & { readonly store?: string; readonly repair?: boolean; readonly forget?: string }

type CopyFlags = CacheFlags & { readonly onConflict: OnConflict }

const help = `
Examples:
  pipeline cache stats
  pipeline cache verify --repair
  pipeline cache why-miss last~1 last
  pipeline cache gc --dry-run
  pipeline cache gc --older-than 30d --tag draft --yes
  pipeline cache batches
  pipeline cache copy 'postgres://ada@db.example/evals?media=/shared/evals'`

/** Defines `pipeline cache`. */
export const defineCache: DefineCommand = (command, tools, end) => {
  command.addHelpText('after', help)
  const subcommand = (name: string, summary: string): Command =>
    withOutput(withStore(command.command(name, { isDefault: name === 'stats' }).description(summary))).addHelpText(
      'after',
      help,
    )
  subcommand('stats', 'show what the store holds, and its size').action((flags: CacheFlags) => stats(flags, tools))
  subcommand('verify', 'check every record and medium')
    .option('--repair', 'drop what is damaged, and only that: it is computed again when it is needed')
    .action(async (flags: CacheFlags) => end(await verify(flags, tools)))
  subcommand('why-miss', 'show in which fields the requests of two runs differ')
    .argument('<run-a>', 'name, end of its id, or last')
    .argument('<run-b>', 'the run that did not use answers of the first')
    .action((a: string, b: string, flags: CacheFlags) => whyMiss({ a, b, flags }, tools))
  subcommand('copy', 'copy all runs with their media to another store, or continue an interrupted copy')
    .argument('<to>', 'a folder, or the address of a database')
    .option(
      '--on-conflict <what>',
      'where a key has another content there: "refuse" the run, or "keep-ours"',
      makeWordReader('--on-conflict', onConflicts),
      'refuse',
    )
    .action((to: string, flags: CopyFlags) => copy(to, flags, tools))
  withRunFilters(subcommand('gc', 'free requests, answers and media that no run refers to'))
    .argument('[run...]', "runs to remove first: names, ends of ids, or patterns of names such as 'nightly/*'")
    .option('--older-than <age>', 'remove runs first that were made before: an age (30d, 2w) or a date (2026-11-20)')
    .option('--dry-run', 'tell what would be freed, and free nothing')
    .option('--yes', 'free without a question')
    .action((references: readonly string[], flags: RemoveFlags) => collectGarbage(references, flags, tools))
  subcommand('batches', 'requests that were submitted to a provider (--batch) and are not collected yet')
    .option('--forget <batch>', 'forget one, although it may be paid for: its requests are sent again')
    .action((flags: CacheFlags) =>
      flags.forget === undefined ? batches(flags, tools) : forget(flags.forget, flags, tools),
    )
}

async function stats(flags: CacheFlags, { terminal, ...tools }: Tools): Promise<void> {
  const dir = storeDir(flags, { terminal, ...tools })
  const storeStats = await withOpenStore({ dir, terminal }, 'read', store => store.upkeep.stats())
  if (flags.json === true) terminal.printData(JSON.stringify(storeStats, undefined, 2))
  else terminal.print(statsLines(shownPath(dir), storeStats, terminal.paint.out))
}

/** Damage that is still there refuses: what reads the store next must not go on as if nothing were. */
async function verify(flags: CacheFlags, { terminal, ...tools }: Tools): Promise<ExitCode> {
  const repair = flags.repair === true
  const dir = storeDir(flags, { terminal, ...tools })
  const report = await verifyStore(dir, { repair, waiting: waitingOn(terminal) })
  if (flags.json === true) terminal.printData(JSON.stringify(report, undefined, 2))
  else if (flags.quiet !== true || report.damaged.length > 0)
    terminal.print(verifyLines(report, storeFlag(dir, tools.env), terminal.paint.out))
  return exitCode({ isRefused: report.damaged.length > 0 && !repair })
}

async function copy(to: string, flags: CopyFlags, { terminal, ...tools }: Tools): Promise<void> {
  const from = locateStore(flags, { terminal, ...tools })
  if (shownAddress(resolveLocation(to)) === shownAddress(resolveLocation(from.dir)))
    throw new PipelineError('usage', `${shownPath(to)}: a store is copied to another one`)
  const outcomes: object[] = []
  boundHeapGrowth(growthOfImports)
  await withOpenStore(from, 'read', source =>
    withOpenStore({ dir: to, terminal }, 'write', async target => {
      for await (const { outcome, media, missing } of copyStore(source, target, flags)) {
        outcomes.push({ ...importJson(outcome), media, missing })
        if (flags.quiet === true || flags.json === true) continue
        const lost = missing.length === 0 ? '' : `, ${formatQuantity(missing.length, 'medium', 'media')} missing here`
        terminal.print([
          ...importLines(outcome),
          ...(media + missing.length === 0 ? [] : [`  ${formatQuantity(media, 'medium', 'media')} added${lost}`]),
        ])
      }
    }),
  )
  if (flags.json === true) terminal.printData(JSON.stringify(outcomes, undefined, 2))
}

async function batches(flags: CacheFlags, { terminal, ...tools }: Tools): Promise<void> {
  const dir = storeDir(flags, { terminal, ...tools })
  const open = await withOpenStore({ dir, terminal }, 'read', store => store.batches.open())
  if (flags.json === true) terminal.printData(JSON.stringify(open.map(batchJson), undefined, 2))
  else terminal.print(batchList(open, terminal.paint.out))
}

async function forget(name: string, flags: CacheFlags, { terminal, ...tools }: Tools): Promise<void> {
  const forgotten = await withOpenStore(locateStore(flags, { terminal, ...tools }), 'change', async store => {
    const open = await store.batches.open()
    const openBatch = open.find(batch => batch.name === name || batch.id === name)
    if (openBatch === undefined) {
      const names = open.flatMap(batch => [batch.name, ...(batch.id === undefined ? [] : [batch.id])])
      throw new PipelineError('usage', `no batch "${name}".${didYouMean(name, names)}   (pipeline cache batches)`)
    }
    if ((await store.batches.adopt(openBatch)) === undefined)
      throw new PipelineError('usage', `batch ${name} is worked on by another process: end that first`)
    await store.batches.close(openBatch)
    return openBatch
  })
  if (flags.json === true) terminal.printData(JSON.stringify({ forgotten: batchJson(forgotten) }))
  else if (flags.quiet !== true)
    terminal.print([
      `forgot batch ${name}: ${formatQuantity(forgotten.open, 'request')} of it may be sent again`,
      ...stillAtWork(forgotten),
    ])
}

/** Notes that an abandoned batch continues at the provider, and costs money. */
const stillAtWork = ({ state, cancelling, address }: ProviderBatch): readonly string[] =>
  cancelling !== undefined
    ? [`the provider still works on it, and bills what it answers. To cancel it there:  ${cancelling}`]
    : state === 'submitted' || state === 'creating'
      ? [`the provider at ${address} may still work on it, and bills what it answers: cancel it there`]
      : []

async function whyMiss(
  { a, b, flags }: { a: string; b: string; flags: CacheFlags },
  { terminal, ...tools }: Tools,
): Promise<void> {
  const report = await withOpenStore(locateStore(flags, { terminal, ...tools }), 'read', async store => {
    const [first, second] = [await openRun(store, a), await openRun(store, b)]
    return store.requests.whyMiss(first.run, second.run)
  })
  if (flags.json === true) terminal.printData(JSON.stringify(report, undefined, 2))
  else terminal.print(missLines(report, terminal.paint.out))
}
