/** The numbers and the text of `lmms-eval power`, for comparison with it. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { floatText } from '../../../../base/python/python-text.js'
import { pythonRound } from '../../text/python-number.js'
import { normalCdf, normalQuantile } from '../distributions/normal.js'

/** The arguments of lmms-eval's `power_analysis`, with its names and defaults. */
export interface LmmsPowerInput {
  /** @default 0.03 */
  readonly effect_size?: number | undefined
  /** @default that of the other model, or 0.5 */
  readonly std_a?: number | undefined
  /** @default that of the other model, or 0.5 */
  readonly std_b?: number | undefined
  /** @default 0.05 */
  readonly alpha?: number | undefined
  /** @default 0.8 */
  readonly power?: number | undefined
  /** The correlation of both models' scores. @default 0.5 */
  readonly correlation?: number | undefined
  readonly current_n?: number | undefined
}

/** The results of lmms-eval's `power_analysis`. */
export interface LmmsPower {
  readonly min_n: number
  readonly effect_size: number
  readonly std_a: number
  readonly std_b: number
  readonly alpha: number
  readonly power: number
  readonly correlation: number
  readonly current_n?: number
  /** Rounded to four places. */
  readonly current_power?: number
  /** Rounded to four places. */
  readonly min_detectable_effect?: number
}

/**
 * Computes lmms-eval's power analysis, including what differs from `planPairedSize`: it uses the normal
 * approximation, and a negative effect gets the power of the wrong side.
 *
 * Source: lmms-eval 0.7.2, `power_analysis` in api/metrics.py.
 *
 * @throws PipelineError if the differences have no variance, or the effect is 0
 */
export function computeLmmsPower(input: LmmsPowerInput): LmmsPower {
  const { effect_size = 0.03, alpha = 0.05, power = 0.8, correlation = 0.5, current_n } = input
  const std_a = input.std_a ?? input.std_b ?? 0.5
  const std_b = input.std_b ?? input.std_a ?? 0.5
  const variance = std_a ** 2 + std_b ** 2 - 2 * correlation * std_a * std_b
  if (!(variance > 0))
    throw new PipelineError(
      'usage',
      `The differences have no variance: the deviations are ${std_a} and ${std_b}, and the correlation is ${correlation}. Name a correlation below 1, or other deviations.`,
    )
  if (effect_size === 0 || !Number.isFinite(effect_size))
    throw new PipelineError(
      'usage',
      `The effect is ${effect_size}. No number of docs shows it; name an effect other than 0.`,
    )
  if (!(alpha > 0 && alpha < 1 && power > 0 && power < 1))
    throw new PipelineError('usage', `Alpha is ${alpha} and the power ${power}. Both must be between 0 and 1.`)
  const [zAlpha, zPower] = [normalQuantile(1 - alpha / 2), normalQuantile(power)]
  const deviation = Math.sqrt(variance)
  const standardized = effect_size / deviation
  const plan = {
    min_n: Math.ceil(((zAlpha + zPower) / standardized) ** 2),
    effect_size,
    std_a,
    std_b,
    alpha,
    power,
    correlation,
  }
  if (current_n === undefined) return plan
  return {
    ...plan,
    current_n,
    current_power: pythonRound(normalCdf(standardized * Math.sqrt(current_n) - zAlpha), 4),
    min_detectable_effect: pythonRound(((zAlpha + zPower) * deviation) / Math.sqrt(current_n), 4),
  }
}

const thick = '='.repeat(60)
const thin = '-'.repeat(60)

/**
 * Formats a power analysis as `lmms-eval power` prints it. `taskSizes` has the number of docs of each task.
 *
 * Source: lmms-eval 0.7.2, `run_power` in cli/power_cmd.py.
 */
export function formatLmmsPower(
  input: Omit<LmmsPowerInput, 'current_n'>,
  taskSizes: Readonly<Record<string, number>> = {},
): string {
  const plan = computeLmmsPower(input)
  const effect = formatPercent(plan.effect_size, 1)
  const tasks = Object.entries(taskSizes).flatMap(([task, docs]) => formatTask(task, { ...input, current_n: docs }))
  return [
    '',
    thick,
    'POWER ANALYSIS RESULTS',
    thick,
    '',
    'Parameters:',
    `  Effect size (delta):     ${effect}`,
    `  Std (model A):           ${floatText(plan.std_a)}`,
    `  Std (model B):           ${floatText(plan.std_b)}`,
    `  Significance level (a):  ${floatText(plan.alpha)}`,
    `  Desired power (1-b):     ${floatText(plan.power)}`,
    `  Correlation (p):         ${floatText(plan.correlation)}`,
    '',
    'Result:',
    `  Minimum sample size:     n = ${plan.min_n}`,
    '',
    'Interpretation:',
    `  To detect a ${effect} difference with ${formatPercent(plan.power, 0)} power,`,
    `  you need at least ${plan.min_n} questions in your benchmark.`,
    ...(tasks.length === 0 ? [] : ['', thin, 'TASK ANALYSIS', thin, ...tasks]),
    '',
    thick,
    '',
    '',
  ].join('\n')
}

function formatTask(task: string, input: LmmsPowerInput): readonly string[] {
  const { min_n, current_n = 0, current_power = 0, min_detectable_effect = 0 } = computeLmmsPower(input)
  return [
    '',
    `  ${task}:`,
    `    Sample size:         n = ${current_n}`,
    `    Current power:       ${formatPercent(current_power, 1)}`,
    `    Min detectable d:    ${formatPercent(min_detectable_effect, 1)}`,
    `    Status:              ${current_n >= min_n ? 'OK Sufficient' : 'X Insufficient'}`,
  ]
}

const formatPercent = (share: number, digits: number): string => `${pythonRound(share * 100, digits).toFixed(digits)}%`
