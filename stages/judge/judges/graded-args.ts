import { z } from 'zod'
import { messageOf } from '../../../base/errors/errors.js'
import { fillPrompt } from '../helpers/judge-prompts.js'

/** The ways in which a judge model grades an answer. */
const gradedKinds = ['binary', 'likert', 'rubric', 'extract', 'form', 'comparative'] as const

export type GradedKind = (typeof gradedKinds)[number]

/** The metrics that may compare an extracted answer with the target. */
export const extractMatches = ['exact_match', 'contains', 'numeric_match', 'option_letter', 'math_equal'] as const

const source = z.union([z.string().min(1), z.literal(false)]).optional()

/** The arguments that only some kinds take. */
const kindsByArgument: Readonly<Record<string, readonly GradedKind[]>> = {
  low: ['likert'],
  high: ['likert'],
  normalise: ['likert'],
  criteria: ['rubric'],
  grades: ['rubric'],
  match: ['extract'],
  match_args: ['extract'],
  schema: ['form'],
  field: ['form'],
  structured: ['form'],
  against: ['comparative'],
}

/** The placeholders that the template of each kind may have. */
const placeholders: Readonly<Record<GradedKind, readonly string[]>> = {
  binary: [],
  likert: ['low', 'high'],
  rubric: ['criteria'],
  extract: [],
  form: ['schema'],
  comparative: ['first', 'second'],
}

/** The arguments of `model_graded`. */
export const gradedArgs = z
  .strictObject({
    kind: z.enum(gradedKinds),
    /** The question: a field of the doc, or a text with `{{field}}`; false leaves it out. @default the field `question` */
    question: source,
    /** The reference: a field of the doc, or a text with `{{field}}`; false leaves it out. @default the doc's target */
    reference: source,
    /** The medium that an answer must have. One without it is unparsed and not shown to the judge. @default none */
    needs: z.enum(['image', 'audio', 'video']).optional(),
    /** The template of the prompt. @default the kind's own */
    prompt: z.string().min(1).optional(),
    /** The maximum length of the judge's reply, in tokens. */
    max_tokens: z.int().min(1).default(1024),
    /** @default 0, or 1 with several votes */
    temperature: z.number().min(0).optional(),
    /** The number of replies that the judge gives for each doc. */
    votes: z.int().min(1).max(99).default(1),
    /** Combines several votes, and the judges of a panel, to one value. Votes that are tied for the majority are averaged. */
    combine: z.enum(['majority', 'mean']).default('majority'),
    /** The number of control questions before the first doc. */
    canaries: z.int().min(0).max(2).default(2),
    /** The number of failures in a row that stop the judge. */
    max_failures: z.int().min(1).default(20),
    low: z.int().optional(),
    high: z.int().optional(),
    /** Whether a grade from `low` to `high` becomes a value from 0 to 1. */
    normalise: z.boolean().optional(),
    criteria: z
      .array(
        z.strictObject({ name: z.string().min(1), text: z.string().min(1), weight: z.number().positive().default(1) }),
      )
      .min(1)
      .optional(),
    /** The menu of a criterion's grades, with their values. @default MET: 1, PARTLY: 0.5, UNMET: 0 */
    grades: z.record(z.string().regex(/^[A-Za-z][\w-]*$/), z.number()).optional(),
    match: z.enum(extractMatches).optional(),
    match_args: z.record(z.string(), z.json()).optional(),
    /** The JSON schema of the judge's form. */
    schema: z.record(z.string(), z.json()).optional(),
    /** True to send the schema to the judge's server, so that the reply is a matching JSON object. @default false */
    structured: z.boolean().optional(),
    /** The name of the form's number that is the score. */
    field: z.string().min(1).optional(),
    /** The other answer: a field of the doc, or a text with `{{field}}`. @default the reference */
    against: z.string().min(1).optional(),
  })
  .superRefine((args, context) => {
    const report = (path: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [path], message })
    }
    for (const [name, kinds] of Object.entries(kindsByArgument))
      if (args[name as keyof typeof args] !== undefined && !kinds.includes(args.kind))
        report(name, `only the kind ${kinds.join(', ')} takes it, not ${args.kind}`)
    if (args.kind === 'rubric' && args.criteria === undefined)
      report('criteria', 'the kind rubric needs a list of criteria: [{name: …, text: …, weight: 1}]')
    if (new Set(args.criteria?.map(({ name }) => name)).size < (args.criteria?.length ?? 0))
      report('criteria', 'two criteria have the same name')
    if (args.grades !== undefined && new Set(Object.values(args.grades)).size < 2)
      report('grades', 'the grades need at least two different values')
    if (args.kind === 'form' && (args.schema === undefined || args.field === undefined))
      report(args.schema === undefined ? 'schema' : 'field', 'the kind form needs a JSON schema and the field to score')
    if (args.schema !== undefined) checkSchema(args.schema, args.field, report)
    if ((args.high ?? 5) <= (args.low ?? 1)) report('high', 'it must be above low')
    if (args.votes > 1 && args.temperature === 0)
      report('temperature', 'several votes need a temperature above 0, because equal requests have one reply')
    if (args.prompt !== undefined) checkPrompt(args.prompt, args.kind, report)
  })

export type GradedArgs = z.output<typeof gradedArgs>

type Report = (path: string, message: string) => void

function checkSchema(schema: NonNullable<GradedArgs['schema']>, field: string | undefined, report: Report): void {
  try {
    z.fromJSONSchema(schema)
  } catch (error) {
    return report('schema', `it is no JSON schema that can be checked: ${messageOf(error)}`)
  }
  const { properties } = schema
  const isThere = typeof properties === 'object' && properties !== null && Object.hasOwn(properties, field ?? '')
  if (field !== undefined && !isThere) report('field', `the schema has no property "${field}"`)
}

function checkPrompt(prompt: string, kind: GradedKind, report: Report): void {
  const names = ['question', 'answer', 'reference', ...placeholders[kind]]
  try {
    fillPrompt(prompt, Object.fromEntries(names.map(name => [name, ''])))
  } catch (error) {
    return report('prompt', messageOf(error))
  }
  const graded = kind === 'comparative' ? ['first', 'second'] : ['answer']
  const missing = graded.find(name => !prompt.includes(`{${name}}`))
  if (missing !== undefined) report('prompt', `it does not show what is graded: {${missing}}`)
}
