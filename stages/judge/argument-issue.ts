import type { z } from 'zod'
import { didYouMean } from '../../base/suggest.js'

/** What is wrong with an argument as a person reads it: what is expected, what is given, and which value may be meant. */
export function issueText(issue: z.core.$ZodIssue): string {
  if (!/^(Invalid|Too) /.test(issue.message)) return issue.message
  const values = allowedValues(issue)
  const given = issue.input === undefined ? '' : `, given ${JSON.stringify(issue.input)}`
  if (values.length > 0) {
    const meant = typeof issue.input === 'string' ? didYouMean(issue.input, values.map(String)) : ''
    return `expected one of ${values.map(String).join(', ')}${given}${meant === '' ? '' : `.${meant}`}`
  }
  if (issue.code === 'invalid_type') return `expected ${words[issue.expected] ?? issue.expected}${given}`
  if (/^Invalid input$/.test(issue.message)) return `is of no form that is known here${given}`
  return issue.message.replace(/^Too (big|small): expected \w+ to be/, 'must be')
}

/** The values that are allowed, also where they are one of several forms. */
function allowedValues(issue: z.core.$ZodIssue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values
  if (issue.code !== 'invalid_union') return []
  return [...new Set(issue.errors.flat().flatMap(allowedValues))]
}

const words: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys and values',
  record: 'keys and values',
}
