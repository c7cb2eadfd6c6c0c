import { Option } from 'commander'
import { PipelineError } from '../../../../base/errors/errors.js'
import { present } from '../../../../base/values/present.js'
import {
  computeLmmsPower,
  formatLmmsPower,
  type LmmsPowerInput,
} from '../../../../stages/judge/statistics/power/lmms-power.js'
import { appendText, decimalNumber, makeWordReader, wholeNumber } from '../../../config/values/option-values.js'
import { formatPowerPlan, formatRunPower, formatTaskPlans } from '../../../present/text/power-lines.js'
import { planPower, type PowerAssumptions } from '../../../reading/planning/plan-power.js'
import { planRunPower } from '../../../reading/planning/run-power.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withOutput, withStore, type OutputFlags } from '../../flags/evaluation-options.js'
import { compareHints } from '../../flags/compare-hints.js'
import { locateStore, withOpenStore } from '../../open-run.js'

interface PowerFlags extends OutputFlags {
  readonly store?: string
  readonly run?: readonly string[]
  readonly effect?: number
  readonly std?: number
  readonly stdA?: number
  readonly stdB?: number
  readonly correlation?: number
  readonly n?: number
  readonly clusters?: number
  readonly clusterSize?: number
  readonly icc?: number
  readonly alpha?: number
  readonly power?: number
  readonly tasks?: string
  readonly parity?: 'lmms-eval'
  readonly effectSize?: number
  readonly currentN?: number
}

const help = `
Examples:
  pipeline power --effect 0.02
  pipeline power --effect 0.02 --n 1000 --std 0.45 --correlation 0.7
  pipeline power --effect 0.02 --cluster-size 4 --icc 0.3
  pipeline power --tasks mme=2374,mmmu_val=900
  pipeline power --run last~1 --run last --effect 0.02

A plan is for two models on the same docs. docs/statistics.md has the formulas.`

const positive = { expected: 'a number above 0', isValid: (value: number) => value > 0 && Number.isFinite(value) }
const notZero = {
  expected: 'a difference other than 0',
  isValid: (value: number) => value !== 0 && Number.isFinite(value),
}
const share = { expected: 'a number between 0 and 1', isValid: (value: number) => value > 0 && value < 1 }
const correlation = { expected: 'a number from -1 to 1', isValid: (value: number) => value >= -1 && value <= 1 }
const fraction = { expected: 'a number from 0 to 1', isValid: (value: number) => value >= 0 && value <= 1 }

export const definePower: DefineCommand = (command, tools) =>
  void withOutput(withStore(command))
    .option(
      '--effect <difference>',
      "the difference to find, on the metric's scale (0.03)",
      decimalNumber('--effect', notZero),
    )
    .option('--std <deviation>', "standard deviation of a doc's score (0.5)", decimalNumber('--std', positive))
    .option('--std-a <deviation>', 'standard deviation of the first model alone', decimalNumber('--std-a', positive))
    .option('--std-b <deviation>', 'standard deviation of the second model alone', decimalNumber('--std-b', positive))
    .option(
      '--correlation <r>',
      "correlation of the two models' scores over docs (0.5)",
      decimalNumber('--correlation', correlation),
    )
    .option(
      '--n <docs>',
      'a number of docs: also print its power and smallest difference',
      wholeNumber('--n', { min: 2 }),
    )
    .option(
      '--clusters <n>',
      'with --n: the number of clusters that the docs come in',
      wholeNumber('--clusters', { min: 2 }),
    )
    .option(
      '--cluster-size <docs>',
      'docs that share a cluster, such as questions about one picture (1)',
      decimalNumber('--cluster-size', {
        expected: 'a number of docs, 1 or more',
        isValid: value => value >= 1 && Number.isFinite(value),
      }),
    )
    .option('--icc <r>', 'intra-cluster correlation of the differences', decimalNumber('--icc', fraction))
    .option('--alpha <rate>', 'rate of false alarms (0.05)', decimalNumber('--alpha', share))
    .option('--power <rate>', 'probability that the difference is found (0.8)', decimalNumber('--power', share))
    .option('--tasks <sizes>', 'a plan for each task: NAME=DOCS, separated by commas')
    .option('--run <run>', 'take the spread from a stored run; twice: from the differences of two runs', appendText)
    .option(
      '--parity <tool>',
      'print the numbers and the text of lmms-eval power',
      makeWordReader('--parity', ['lmms-eval']),
    )
    .addOption(new Option('--effect-size <difference>').argParser(decimalNumber('--effect-size', notZero)).hideHelp())
    .addOption(new Option('--current-n <docs>').argParser(wholeNumber('--current-n', { min: 2 })).hideHelp())
    .addOption(new Option('--include-path <folder>').hideHelp())
    .addOption(new Option('--verbosity <level>').hideHelp())
    .addHelpText('after', help)
    .action(async (flags: PowerFlags) => {
      if (flags.run !== undefined) return printRunPower(flags.run, flags, tools)
      const sizes = readTaskSizes(flags, tools)
      if (flags.parity !== undefined) printLmmsPower(flags, sizes, tools)
      else printPower(flags, sizes, tools)
    })

type TaskSizes = Readonly<Record<string, number>>

function printPower(flags: PowerFlags, sizes: TaskSizes, { terminal }: Tools): void {
  const assumptions = readAssumptions(flags)
  const plan = planPower(assumptions)
  const tasks = Object.entries(sizes).map(([task, docs]) => ({
    task,
    docs,
    plan: planPower({ ...assumptions, docs }),
  }))
  if (flags.json === true) printJson({ ...plan, ...(tasks.length === 0 ? {} : { tasks }) }, { terminal })
  else {
    const paint = terminal.paint.out
    const lines = tasks.length === 0 ? [] : ['', ...formatTaskPlans(tasks, paint)]
    terminal.print([...formatPowerPlan(plan, paint), ...lines])
  }
}

/** Prints what lmms-eval prints. */
function printLmmsPower(flags: PowerFlags, sizes: TaskSizes, { terminal }: Tools): void {
  const input: LmmsPowerInput = {
    ...{ effect_size: flags.effectSize ?? flags.effect, alpha: flags.alpha, power: flags.power },
    ...{ std_a: flags.stdA ?? flags.std, std_b: flags.stdB ?? flags.std, correlation: flags.correlation },
  }
  const docs = flags.currentN ?? flags.n
  if (flags.json === true) printJson(computeLmmsPower({ ...input, current_n: docs }), { terminal })
  else
    terminal.print(
      formatLmmsPower(input, docs === undefined ? sizes : { ...sizes, docs })
        .split('\n')
        .slice(0, -1),
    )
}

async function printRunPower(references: readonly string[], flags: PowerFlags, tools: Tools): Promise<void> {
  const [a, b, ...others] = references
  if (a === undefined || others.length > 0)
    throw new PipelineError('usage', `--run: one run or two can be given, and there are ${references.length}`)
  const planned = await withOpenStore(locateStore(flags, tools), 'read', store => {
    const hints = compareHints(store.location, tools)
    const second = b === undefined ? undefined : { store, reference: b }
    return planRunPower({ store, reference: a }, second, { ...readAssumptions(flags), hints })
  })
  if (flags.json === true) printJson(planned, tools)
  else tools.terminal.print(formatRunPower(planned, tools.terminal.paint.out))
}

const readAssumptions = (flags: PowerFlags): PowerAssumptions => {
  if (flags.clusters !== undefined && flags.clusterSize !== undefined)
    throw new PipelineError('usage', '--clusters and --cluster-size: one of them can be given')
  const docs = flags.n ?? flags.currentN
  if (flags.clusters !== undefined && docs === undefined)
    throw new PipelineError('usage', '--clusters: also give --n DOCS, or give --cluster-size DOCS instead')
  return present({
    effect: flags.effect ?? flags.effectSize,
    stdA: flags.stdA ?? flags.std,
    stdB: flags.stdB ?? flags.std,
    correlation: flags.correlation,
    docs,
    clusterSize:
      flags.clusters === undefined || docs === undefined ? flags.clusterSize : Math.max(1, docs / flags.clusters),
    icc: flags.icc,
    alpha: flags.alpha,
    power: flags.power,
  })
}

/** Reads `NAME=DOCS`, separated by commas. lmms-eval has names alone, and their sizes are not known here. */
function readTaskSizes({ tasks = '', quiet }: PowerFlags, { terminal }: Pick<Tools, 'terminal'>): TaskSizes {
  const entries = tasks.split(',').filter(entry => entry.trim() !== '')
  const sizes = entries.map(entry => {
    const [, name = '', docs] = /^\s*([^=]+?)\s*(?:=\s*(\d+)\s*)?$/.exec(entry) ?? []
    if (name === '' || Number(docs ?? 2) < 2)
      throw new PipelineError('usage', `--tasks: expected NAME=DOCS with at least 2 docs, given "${entry}"`)
    return { name, docs: docs === undefined ? undefined : Number(docs) }
  })
  const unknown = sizes.filter(({ docs }) => docs === undefined).map(({ name }) => name)
  if (unknown.length > 0 && quiet !== true)
    terminal.tell(`${unknown.join(', ')} left out: write the number of docs, such as --tasks ${unknown[0] ?? ''}=1000`)
  return Object.fromEntries(sizes.flatMap(({ name, docs }) => (docs === undefined ? [] : [[name, docs]])))
}

function printJson(data: object, { terminal }: Pick<Tools, 'terminal'>): void {
  terminal.printData(JSON.stringify({ format: 1, ...data }, undefined, 2))
}
