/** What the parts of compiling a task's scoring have in common: where a mistake stands, and how it is told. */
import { z } from 'zod'
import { nearest } from '../../base/suggest.js'
import { issueText } from './argument-issue.js'
import type { FilterDefinition } from './define-filter.js'
import type { MetricDefinition } from './define-metric.js'
import type { JudgeRegistry } from './registry.js'
import type { ConfigPath, ScoringSpec } from './scoring-spec.js'

export interface Context {
  readonly spec: ScoringSpec
  readonly registry: JudgeRegistry
  readonly report: (path: ConfigPath, message: string) => void
}

export function placeOf({ task, locate }: ScoringSpec, path: ConfigPath): string {
  const dotted = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return locate === undefined ? `task ${task}, ${dotted.slice(1)}` : `${locate(path)}  ${dotted.slice(1)}`
}

export const pathOf = (issue: z.core.$ZodIssue): ConfigPath =>
  issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))

export function parseArguments(
  { id, args }: Pick<MetricDefinition | FilterDefinition, 'id' | 'args'>,
  given: unknown,
  { path, context }: { readonly path: ConfigPath; readonly context: Context },
): { readonly value: unknown } | undefined {
  const parsed = args.safeParse(given, { reportInput: true })
  if (parsed.success) return { value: parsed.data }
  const known = args instanceof z.ZodObject ? Object.keys(args.shape) : []
  for (const issue of parsed.error.issues) {
    if (issue.code !== 'unrecognized_keys') {
      context.report([...path, ...pathOf(issue)], issueText(issue))
      continue
    }
    for (const key of issue.keys) {
      const meant = nearest(key, known)
      const hint = meant === undefined ? `It knows: ${known.join(', ') || 'none'}.` : `Did you mean "${meant}"?`
      context.report([...path, key], `${id} has no argument "${key}". ${hint}`)
    }
  }
  return undefined
}

export function reportDuplicates(names: readonly string[], field: string, { report }: Context): void {
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) report([field, i], `"${name}" stands there twice`)
  })
}

/** `score` of `!function utils.score`. */
export const shortName = (reference: string): string => reference.replace(/^!function\s+/, '').replace(/^.*\./, '')
