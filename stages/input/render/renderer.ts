import { unwrapLimited } from '../../../base/time/time-limit.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { pythonText } from '../../../base/python/python-text.js'
import { isList } from '../../../base/values/canonical-json.js'
import { findPythonFunction } from '../../../cache/code/python/python-function.js'
import { codeFailure, describeThrown } from '../../../cache/code/thrown-position.js'
import type { JudgeRecord } from '../../../cache/records.js'
import { isChat, withSystem, type Prompting } from '../prompting.js'
import type { FloatFields } from '../datasets/columns/floats.js'
import { collectMarks } from '../python/record-marks.js'
import { keepsMedia, scoresInPython } from '../python/record-media.js'
import type { Doc } from '../tasks/doc.js'
import { isFunctionRef } from '../tasks/function-ref.js'
import { specificKwargs } from '../generation.js'
import { templatedKeys } from './template.js'
import { shownText, type Task } from '../tasks/task.js'
import {
  compileChoices,
  compileTarget,
  exampleTarget,
  makeRecord,
  printedFields,
  settleTarget,
  type SettledTarget,
  withoutInlineMedia,
} from './judge-record.js'
import { compileField, compilePrefix, compileText, isWord, missingColumn, type FieldContext } from './field.js'
import type { DraftMessage } from './messages.js'
import { findAbsentFields } from './absent-fields.js'
import { collectColumns, compilePrompt } from './prompt.js'

/** A rendered doc whose media are not yet in the store. */
export type Rendered =
  | {
      readonly type: 'rendered'
      readonly record: JudgeRecord
      readonly messages: readonly DraftMessage[]
      /** The messages of each request, where they differ: `messages` are the first of them. */
      readonly contexts?: readonly (readonly DraftMessage[])[]
      /** The continuations, one for each request. A generated answer has one request without a continuation. */
      readonly continuations: readonly (string | undefined)[]
      /** Fields that the row lacks, and that the prompt prints as a word such as `None`. */
      readonly absent?: readonly string[]
    }
  | { readonly type: 'failed'; readonly record: JudgeRecord; readonly reason: string }

export interface Renderer {
  /** The columns that prompt, target and choices read; `undefined` where a function may read any. */
  readonly columns: readonly string[] | undefined
  /** Notes on the file for this dataset, as `file:line:column  what`. */
  readonly notes: readonly string[]
  /** Renders a doc and never throws for its content. `examples` are the docs to show before it. */
  render(doc: Doc, examples?: readonly Doc[]): Rendered
}

export interface RenderOptions extends Prompting {
  /** Columns whose numbers are floating-point. */
  readonly floats?: FloatFields
}

/**
 * Prepares the rendering of a task's docs. Begin here to read how a doc becomes a prompt.
 *
 * @throws PipelineError with the YAML line of each column that the dataset does not have.
 */
export function makeRenderer(
  task: Task,
  columns: readonly string[],
  { floats, ...prompting }: RenderOptions = {},
): Renderer {
  const { config } = task
  const { models = [] } = prompting
  const context = {
    task,
    columns,
    kwargs: specificKwargs(config, models),
    ...(floats === undefined ? {} : { floats }),
  }
  const notes = checkFields(task, context, prompting)
  const fields = {
    messages: compilePrompt({ ...context, keepsNewline: prompting.form === 'text' }, prompting),
    target: compileTarget(config.doc_to_target, { ...context, key: ['doc_to_target'] }, models),
    choices:
      config.doc_to_choice === undefined
        ? undefined
        : compileChoices(config.doc_to_choice, { ...context, key: ['doc_to_choice'] }),
  }
  const promptFields = {
    ...{ read: fields.messages.columns, columns },
    literals: [config.doc_to_text, config.description, config.gen_prefix].filter(value => typeof value === 'string'),
  }
  const continuationsOf = continuations(task)
  const isPython = scoresInPython(task)
  const judged = isPython || config.process_results !== undefined ? (doc: Doc): Doc => doc : withoutInlineMedia
  const grouping = groupingFields(task)
  const makeDocRecord = (doc: Doc, settled: SettledTarget, choices: readonly string[] | undefined): JudgeRecord => {
    const { target, printed } = settled
    const fields = printedFields(doc, grouping, floats ?? {})
    const texts = { ...printed, ...(fields && { fields }) }
    return { ...makeRecord(judged(doc), target, choices), ...(Object.keys(texts).length > 0 && { printed: texts }) }
  }
  // `loglikelihood_rolling` scores a text after an empty prompt.
  const isRolling = config.output_type === 'loglikelihood_rolling'
  return {
    notes,
    columns: keepsMedia(task) ? undefined : collectColumns([fields.messages, fields.target, fields.choices]),
    render(doc, examples) {
      let target: SettledTarget = { target: null }
      let choices: readonly string[] | undefined
      try {
        choices = fields.choices?.of(doc)
        const choice = fields.messages.contexts?.(doc, examples)
        if (choice !== undefined) {
          target = { target: choice.index }
          const contexts = choice.messages.map(messages => withSystem(messages, prompting))
          const record = { ...makeDocRecord(doc, target, choices), ...(isPython && collectMarks(doc, floats)) }
          const continuation = `${config.target_delimiter}${exampleTarget(fields.target.of(doc), undefined)}`
          const continuations = contexts.map(() => continuation)
          return { type: 'rendered', record, messages: contexts[0] ?? [], contexts, continuations }
        }
        target = settleTarget(task, fields.target.of(doc), choices)
        const record = { ...makeDocRecord(doc, target, choices), ...(isPython && collectMarks(doc, floats)) }
        const messages = isRolling ? [] : withSystem(fields.messages.of(doc, examples), prompting)
        const absent = isRolling
          ? []
          : findAbsentFields(doc, promptFields, () =>
              examples === undefined || examples.length === 0 ? messages : fields.messages.of(doc),
            )
        const continuations = continuationsOf(record)
        return { type: 'rendered', record, messages, continuations, ...(absent.length > 0 && { absent }) }
      } catch (error) {
        return {
          type: 'failed',
          record: makeDocRecord(doc, target, choices),
          reason: shownText(task, codeFailure(error) ?? describeThrown(error)),
        }
      }
    },
  }
}

/** Lists the fields by which scores are grouped. */
const groupingFields = ({ config: { breakdown = [], cluster_key: cluster } }: Task): readonly string[] => [
  ...new Set([...[breakdown].flat(), ...(cluster === undefined ? [] : [cluster])]),
]

function continuations(task: Task): (record: JudgeRecord) => readonly (string | undefined)[] {
  const { output_type: type, target_delimiter: delimiter } = task.config
  const none = [undefined]
  if (type === 'multiple_choice') return record => (record.choices ?? []).map(choice => `${delimiter}${choice}`)
  if (!type.startsWith('loglikelihood')) return () => none
  // As in lmms-eval and lm-evaluation-harness, the target of `loglikelihood` brings its own space.
  return ({ target, printed: { target: texts } = {} }) => {
    const [first = null] = texts ?? (isList(target) ? target : [target])
    if (first !== null) return [pythonText(first)]
    throw new Error('doc_to_target must give the text whose likelihood is asked')
  }
}

const checked = [...templatedKeys, 'breakdown'] as const

/** @throws PipelineError where a column is missing. A missing target that nothing reads is a note. */
function checkFields(task: Task, context: FieldContext, prompting: Prompting): readonly string[] {
  const notes: string[] = []
  const problems = checked.flatMap(key => {
    const value = task.config[key]
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    const isConstant = Array.isArray(value) && !['doc_to_visual', 'doc_to_audio', 'breakdown'].includes(key)
    return list.flatMap((fieldValue, index) => {
      if (typeof fieldValue !== 'string') return []
      if (isConstant) return isTemplate(fieldValue) ? [`${task.at([key, index])}  ${constantList(key)}`] : []
      const problem = findProblem(key, fieldValue, context)
      if (problem === undefined) return []
      const text = `${task.at(Array.isArray(value) ? [key, index] : [key])}  ${key}: ${problem}`
      if (key !== 'doc_to_target' || !isWord(fieldValue) || !isTargetUnread(task)) return [text]
      notes.push(`${text} The text itself is the target, which process_results in Python does not read`)
      return []
    })
  })
  if (!isChat(prompting) && task.config.doc_to_text === undefined)
    problems.push(`${task.at([])}  doc_to_text: missing, which the ${prompting.form} form of a prompt needs`)
  problems.push(...unheardKwargs(task))
  if (problems.length > 0) throw new PipelineError('config', problems)
  return notes
}

/**
 * Tells whether no score depends on the target. lmms-eval's files then often have a wrong value, such as `utils.doc_to_target` without `!function`,
 * which lmms-eval uses as a text.
 */
const isTargetUnread = (task: Task): boolean =>
  scoresInPython(task) && !task.config.output_type.startsWith('loglikelihood')

const isTemplate = (text: string): boolean => /\{\{|\{%/.test(text)

/** lmms-eval does not render templates within lists, and would compute the likelihood of the text `{{a}}`. */
const constantList = (key: string): string =>
  `${key}: the texts of a list are taken as they are, and this one is a template. One template may give a list: "{{ [a, b] }}"`

function findProblem(key: (typeof checked)[number], value: string, context: FieldContext): string | undefined {
  if (key === 'breakdown') return absent(value, context)
  if (key === 'gen_prefix') return compilePrefix(value, context).problem
  return (key === 'description' ? compileText(value, context) : compileField(value, context)).problem
}

const absent = (name: string, { columns }: FieldContext): string | undefined =>
  columns.includes(name) ? undefined : missingColumn(name, columns)

/** A prompt function without a second parameter would ignore kwargs such as `post_prompt`. */
function unheardKwargs({ config, functionOf, at }: Task): readonly string[] {
  const { doc_to_text: question, lmms_eval_specific_kwargs: kwargs } = config
  if (!isFunctionRef(question) || saysNothing(kwargs)) return []
  const callee = unwrapLimited(functionOf(question))
  // A function in Python is called as lmms-eval calls it.
  if (findPythonFunction(callee) !== undefined) return []
  const source = Function.prototype.toString.call(callee)
  const parameters = /^[^{]*?(?==>|\{)|^.*/.exec(source)?.[0] ?? ''
  if (callee.length > 1 || /,|\.\.\.|\barguments\b/.test(parameters)) return []
  return [
    `${at(['doc_to_text'])}  doc_to_text: ${question.module}.${question.name} takes 1 parameter, but lmms_eval_specific_kwargs are given, which are the second. Where the question has no use for them, take them as \`_kwargs\``,
  ]
}

/** `{default: {pre_prompt: "", post_prompt: ""}}` has nothing that could be ignored. */
const saysNothing = (kwargs: unknown): boolean =>
  kwargs === undefined ||
  kwargs === null ||
  kwargs === '' ||
  (typeof kwargs === 'object' && Object.values(kwargs).every(saysNothing))
