/** Makes the fields of the form from the option tables. */
import { z } from 'zod'
import type { ArgumentDescription } from '../../../../stages/model/model-args.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { without } from '../../../../base/values/without.js'
import { limitOptions } from '../../../config/limits.js'
import { formatFileKey, type OptionGroup, type OptionSpec } from '../../../config/option.js'
import { aboutOptions } from '../../../config/options/about-options.js'
import { identityOptions } from '../../../config/options/identity-options.js'
import { judgeOptions } from '../../../config/options/judge-options.js'
import { promptOptions } from '../../../config/options/prompt-options.js'
import { batchOptions, sendingOptions } from '../../../config/options/sending-options.js'
import { generationOptions, pluginOptions, taskFolderOptions } from '../../../config/options/subject-options.js'
import { selectionOptions } from '../../../config/values/selection.js'
import { toolOptions } from '../../../config/values/tool-servers.js'
import type { FormField } from '../data/index.js'

/** The option groups of the form. Model and tasks have separate inputs. The server decides the store. */
const groups: readonly (readonly [title: string, group: OptionGroup])[] = [
  ['Docs', selectionOptions],
  // A job overrides no keys of tasks.
  ['Prompts', without(promptOptions, 'override')],
  ['Generation', generationOptions],
  ['Tools', toolOptions],
  ['Sending', sendingOptions],
  ['Batches', batchOptions],
  ['Limits', limitOptions],
  // A server takes one judge for a job.
  ['Judging', without(judgeOptions, 'judgeFor')],
  ['New runs and answers', identityOptions],
  ['Names of the run', aboutOptions],
  ['Tasks and backends of your own', { ...taskFolderOptions, ...pluginOptions }],
]

function makeField(name: string, group: string, { flag, help, file }: OptionSpec): FormField {
  const { kind, choices } = chooseFieldKind(file)
  return { name, flag: longFlag(flag), group, help, kind, ...(choices && { choices }) }
}

/** `--repeats` of `-n, --repeats <n>`. */
export const longFlag = (declared: string): string => /--[a-z][\w-]*/.exec(declared)?.[0] ?? declared

const shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  anyOf: z.array(z.object({ type: z.union([z.string(), z.array(z.string())]).optional() })).optional(),
})

function chooseFieldKind(schema: z.ZodType): {
  readonly kind: FormField['kind']
  readonly choices?: readonly string[]
} {
  const {
    type,
    enum: choices,
    anyOf = [],
  } = shape.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  if (choices !== undefined) return { kind: 'choice', choices }
  const types = new Set(type === undefined ? anyOf.flatMap(variant => variant.type ?? 'any') : [type].flat())
  if (types.has('array')) return { kind: 'list' }
  if (types.has('object') || types.has('any')) return { kind: 'json' }
  if (types.size > 1) return { kind: 'json' }
  const [only = ''] = types
  return { kind: plainKinds[only] ?? 'text' }
}

const plainKinds: Readonly<Record<string, FormField['kind']>> = {
  boolean: 'switch',
  integer: 'number',
  number: 'number',
  string: 'text',
}

export const optionFields: readonly FormField[] = groups.flatMap(([group, options]) =>
  Object.entries(options).map(([name, spec]) => makeField(formatFileKey(name), group, spec)),
)

/** The fields of a backend's arguments. */
export const argumentField = ({
  name,
  type,
  default: fallback,
  isRequired,
  description,
}: ArgumentDescription): FormField => {
  const choices =
    / \| /.test(type) && !/\b(string|number|integer|boolean|object|array|any)\b/.test(type)
      ? type.split(' | ')
      : undefined
  return {
    name,
    flag: '--model-args',
    group: 'Model',
    help: isRequired ? `${description} (required)` : description,
    kind: choices === undefined ? (plainKinds[type] ?? (/object|array|\|/.test(type) ? 'json' : 'text')) : 'choice',
    ...(choices && { choices }),
    ...(fallback !== undefined && { fallback: JSON.parse(fallback) as Json }),
  }
}
