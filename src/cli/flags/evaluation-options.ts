import { Option, type Command } from 'commander'
import { codeKeyKinds } from '../../../cache/records.js'
import { parities } from '../../../stages/judge/parity.js'
import { dispatchOrders } from '../../../stages/model/schedule/loop/dispatch-order.js'
import type { EvalFlags } from '../../config/eval-settings.js'
import { secondsIn } from '../../config/batches.js'
import { hedgeIn } from '../../config/hedge.js'
import { dollarsIn, durationIn } from '../../config/limits.js'
import { seedIn } from '../../config/seed.js'
import { amountIn, limitFlag, shardIn } from '../../config/selection.js'
import { reasoningTagsIn } from './lmms-values.js'
import { withUnusedFlags } from './unused-flags.js'
import { oneOf, positiveSeconds, repeated, wholeNumber } from './flag-values.js'

/** Flags of what shows and keeps an evaluation's results. */
export interface OutputFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly outputPath?: string
  readonly logSamples?: boolean
}

/** What lmms-eval calls otherwise. */
export interface LmmsFlags {
  readonly predictOnly?: boolean
  readonly maxTokens?: number
  readonly seed?: number
  readonly reasoningTags?: string
}

/** Instead of evaluating. */
export interface PlanFlags {
  readonly plan?: boolean
}

export type EvaluationFlags = EvalFlags & OutputFlags & LmmsFlags & PlanFlags

export const withStore = (command: Command): Command =>
  command.option('--store <dir>', 'the store; else $PIPELINE_STORE, else .pipeline')

export const withOutput = (command: Command): Command =>
  command.option('--json', 'print results as JSON').option('--quiet', 'print nothing but results and errors')

export const withPlugins = (command: Command): Command =>
  command.option('--plugin <file>', 'a file or package with backends or metrics of your own; may be repeated', repeated)

export const withExtensions = (command: Command): Command =>
  withPlugins(command.option('--include-path <dir>', 'a folder of tasks of your own; may be repeated', repeated))

/** What one command may spend; all that ask a model have these. */
export const withLimits = (command: Command): Command =>
  command
    .optionsGroup('Limits of the command:')
    .option(
      '--max-requests <n>',
      'maximum number of requests, retries and judge calls included',
      wholeNumber('--max-requests', { min: 0 }),
    )
    .option(
      '--max-tokens-total <n>',
      'maximum number of tokens, input and output together',
      wholeNumber('--max-tokens-total', { min: 0 }),
    )
    .option('--max-cost <usd>', 'maximum cost in dollars', dollarsIn)
    .option('--max-time <time>', 'send nothing more after this time: 90s, 10m, 2h, or seconds', durationIn)
    .option(
      '--fail-fast <n>',
      'stop after this many requests failed permanently',
      wholeNumber('--fail-fast', { min: 1 }),
    )
    .option('--prices <file>', 'prices of tokens, over those that come with the program (YAML)')

const concurrencyIn = (text: string): number | 'adaptive' =>
  text === 'adaptive'
    ? text
    : wholeNumber('--concurrency', { min: 1, expected: 'a whole number, 1 or more, or "adaptive"' })(text)

/** How requests are made; `resume` has these, too. */
export const withRunning = (command: Command): Command =>
  withLimits(
    command
      .optionsGroup('How requests are sent:')
      .option(
        '--concurrency <n>',
        'requests in flight at once, or "adaptive": as many as the server can handle',
        concurrencyIn,
      )
      .option(
        '--max-concurrency <n>',
        'upper limit for adaptive concurrency (256)',
        wholeNumber('--max-concurrency', { min: 1 }),
      )
      .option(
        '--order <kind>',
        'what is sent together: the same "media", then the same beginning (default); similar "length"; "none"',
        oneOf('--order', dispatchOrders),
      )
      .option(
        '--hedge [when]',
        'send a second copy of what takes longer than a percentile of the latencies (p95), or than a time such as 30s; the first answer is taken',
        hedgeIn,
      )
      .option('--no-hedge', 'send none, where the run was started with it')
      .option('--retry-failed', 'also retry requests that failed permanently (invalid_request, refused, media)')
      .optionsGroup('Batches:')
      .option('--batch', "submit requests to the provider's batch API: cheaper, answered within a day")
      .option('--no-batch', 'send requests one by one that were not submitted yet')
      .option(
        '--batch-requests <n>',
        'maximum number of requests in a batch',
        wholeNumber('--batch-requests', { min: 1 }),
      )
      .option('--poll <seconds>', 'check batches at least this often (60)', secondsIn)
      .option('--wait', 'wait until all batches are complete (default)')
      .option('--no-wait', 'submit, collect complete batches, and end with exit code 2; resume collects the rest'),
  )

export const withJudge = (command: Command): Command =>
  command
    .optionsGroup('Judging:')
    .option('--judge-model <name>', 'the model that is asked where a score needs one   (pipeline models list)')
    .option('--judge-args <args>', 'its arguments: model=…,base_url=…; may be repeated', repeated)
    .option(
      '--parity <name>',
      'score as this program does where it is known to be wrong (lmms-eval), to compare with its numbers',
      oneOf('--parity', parities),
    )
    .optionsGroup('Output:')

export const withResultFiles = (command: Command): Command =>
  command
    .option('-o, --output-path <dir>', 'write results.json and throughput.svg there, in a folder named like the run')
    .option('--log-samples', 'with --output-path: write each doc with prompt, answer and score, too')

/** All flags of an evaluation but those of its output. */
export const withEvaluation = (command: Command): Command =>
  withUnusedFlags(withLmmsFlags(withIdentity(withRunning(withTools(withDocs(withSubject(command))))))).optionsGroup(
    'Output:',
  )

const withLmmsFlags = (command: Command): Command =>
  command
    .optionsGroup('Of lmms-eval:')
    .option('-x, --predict-only', 'ask and keep the answers, without scores: as pipeline infer')
    .option(
      '--max-tokens <n>',
      'as --max-tokens-total; the length of an answer is --gen-kwargs max_new_tokens=…',
      wholeNumber('--max-tokens', { min: 0 }),
    )
    .option(
      '--seed <numbers>',
      'one, or up to four with commas between: the fourth is --fewshot-seed, no other draws',
      seedIn,
    )
    .option('--reasoning-tags <tags>', 'only the default tags; a task sets others (reasoning_tags)', reasoningTagsIn)

/** What is evaluated on what, and where it is kept. */
const withSubject = (command: Command): Command =>
  withExtensions(
    withStore(
      command
        .option('--model <name>', 'the model backend   (pipeline models list)')
        .option('--model-args <args>', 'its arguments: a=1,b=x or JSON; may be repeated', repeated)
        .option(
          '--tasks <names>',
          'tasks, by name, pattern, folder or file, with commas between   (pipeline tasks list)',
          repeated,
        )
        .option('--config <file>', 'a YAML file with any of these flags; flags on the line win'),
    ),
  ).option('--plan', 'say what would be asked, with tokens, cost and time, and ask nothing')

/** Which docs, and how they become prompts. */
const withDocs = (command: Command): Command =>
  command
    .optionsGroup('Docs and prompts:')
    .option(
      '--limit <n>',
      'the first n docs of each task, or this share of them; task=n for one task; -1 for all',
      limitFlag,
    )
    .option('--offset <n>', 'begin at this doc of each task, counted from 0', wholeNumber('--offset', { min: 0 }))
    .option('--subset <n>', 'n docs of each task drawn at random, or this share of them', text =>
      amountIn('--subset', text),
    )
    .option('--subset-seed <s>', 'seed of the random subset; default 0', wholeNumber('--subset-seed', { min: 0 }))
    .option('--samples <file>', 'only these docs: JSON with lists of indices and ids by task')
    .option('--shard <i/n>', 'the i-th of n parts of the docs, counted from 1', shardIn)
    .option(
      '--num-fewshot <n>',
      "examples before each question, in place of the tasks' own number unless that is 0",
      wholeNumber('--num-fewshot', { min: 0 }),
    )
    .option('--fewshot-as-multiturn', 'examples as turns of a conversation, instead of one text')
    .option('--system-instruction <text>', 'before each conversation, as a message of the system; or a file of it')
    .option(
      '-n, --repeats <n>',
      "samples of each answer, in place of the tasks' own number   (also --num-samples)",
      wholeNumber('--repeats', { min: 1 }),
    )
    .addOption(new Option('--num-samples <n>').argParser(wholeNumber('--num-samples', { min: 1 })).hideHelp())
    .option('--fewshot-seed <n>', 'seed for choosing examples (1234)', wholeNumber('--fewshot-seed', { min: 0 }))
    .option('--force-simple', 'media, then one text, also where a task has a conversation of its own (doc_to_messages)')
    .option('--gen-kwargs <args>', "generation kwargs over the tasks' own: temperature=0.7,max_new_tokens=64", repeated)

const withTools = (command: Command): Command =>
  command
    .optionsGroup('Tools that the model may call:')
    .option('--mcp <server>', 'a command line or an address of an MCP server; may be repeated', repeated)
    .option('--tools <file>', 'a file of such servers: {mcpServers: {name: {command, args, env} or {url, headers}}}')
    .option(
      '--max-tool-rounds <n>',
      'maximum rounds of tool calls before an answer (10)',
      wholeNumber('--max-tool-rounds', { min: 0 }),
    )
    .option('--tool-timeout <seconds>', 'timeout of one tool call (60)', positiveSeconds('--tool-timeout'))

/** What makes an evaluation another run, or an answer another answer. */
const withIdentity = (command: Command): Command =>
  command
    .optionsGroup('New runs and answers:')
    .option('--new-run', 'a numbered repeat, where the same line would be the same run')
    .option('--fresh', 'ask for new samples instead of taking stored answers')
    .option(
      '--code-key <kind>',
      'what stands for the backend\'s code in keys: its "revision" (default), its "files", or the "commit"',
      oneOf('--code-key', codeKeyKinds),
    )
    .option('--code-version <text>', 'your own name for the code, instead')
