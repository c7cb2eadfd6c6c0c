import { pythonText } from '../../../base/python/python-text.js'
import { findField } from '../define/doc-field.js'
import type { MetricInput } from '../define/define-metric.js'
import type { GradedArgs } from './graded-args.js'
import type { GradedTexts } from './graded-question.js'

/**
 * Reads the texts that a judge model is shown of a doc.
 *
 * @throws Error if the doc lacks a field that the entry names, or has no question
 */
export function readGradedTexts(input: MetricInput, args: GradedArgs): GradedTexts {
  const { question, reference, against } = args
  return {
    answer: input.text,
    question: readQuestion(input, question),
    reference: readReference(input, reference),
    against: against === undefined ? undefined : readSource(input, 'against', against),
  }
}

function readQuestion(input: MetricInput, source: GradedArgs['question']): string | undefined {
  if (source === false) return undefined
  if (source !== undefined) return readSource(input, 'question', source)
  const value = input.record.doc['question']
  if (value !== undefined && value !== null) return pythonText(value)
  throw new Error(
    'the doc has no field "question" to show to the judge. Give `question` as another field of the doc or as a text with {{field}}, or `question: false` to leave it out',
  )
}

function readReference(input: MetricInput, source: GradedArgs['reference']): string | undefined {
  if (source === false) return undefined
  if (source !== undefined) return readSource(input, 'reference', source)
  // A doc without a target has references that throw when they are read.
  if (input.hasTarget === false) return undefined
  return input.references.length === 0 ? undefined : input.references.join('\n')
}

/** Reads a field, such as `question` or `meta.topic`, or fills a text with `{{field}}`. */
function readSource({ record: { doc } }: MetricInput, name: string, source: string): string {
  const readField = (path: string): string => {
    const value = findField(doc, path)
    if (value !== undefined && value !== null) return pythonText(value)
    throw new Error(`${name}: the doc has no field "${path}". Its fields: ${Object.keys(doc).join(', ')}`)
  }
  if (!source.includes('{{')) return readField(source)
  return source.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, path: string) => readField(path))
}
