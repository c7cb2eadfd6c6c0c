/**
 * Judge prompts for tasks that have none of their own.
 *
 * Source: the prompts of lmms-eval 0.7.2 (MIT), `llm_judge/prompt.py`, verbatim. A different wording could change
 * the judge's verdicts.
 */

/** The words with which the judge says that an answer is right or wrong. */
export type BinaryWords = 'one-zero' | 'yes-no'

const chooseWords = (words: BinaryWords): { readonly right: string; readonly wrong: string } =>
  words === 'one-zero' ? { right: '1', wrong: '0' } : { right: 'Yes', wrong: 'No' }

export interface Compared {
  readonly question: string
  /** The correct answer. */
  readonly answer: string
  /** The model's answer. */
  readonly prediction: string
}

/** Asks whether a prediction is right. The judge replies with one word. */
export function binaryPrompt({ question, answer, prediction }: Compared, words: BinaryWords = 'one-zero'): string {
  const { right, wrong } = chooseWords(words)
  return [
    `You are a strict evaluator assessing answer correctness. You must output ${right} for fully correct answers and ${wrong} for any other case.`,
    '',
    '# Input',
    'Question:',
    ...fenceText(question),
    'Ground Truth Answer:',
    ...fenceText(answer),
    'Model Prediction:',
    ...fenceText(prediction),
    '',
    '# Evaluation Rules',
    '- The model prediction may contain the reasoning process, you should spot the final answer from it.',
    `- For multiple-choice questions: Score ${right} if the predicted answer matches the ground truth answer, it can be directly in option letters or the content of the options.`,
    '- For open-ended questions:',
    `  * Score ${right} if the prediction matches the answer semantically, it can be in different format.`,
    `  * Score ${wrong} for partially correct answers or answers with extra incorrect information, even if the reasoning process is correct.`,
    '- Ignore minor differences in formatting, capitalization, or spacing since the model may explain in a different way.',
    '- Treat numerical answers as correct if they match within reasonable precision',
    '- For questions requiring units, both value and unit must be correct',
    '',
    '# Strict Output format',
    `${right} or ${wrong}`,
  ].join('\n')
}

const fenceText = (text: string): readonly string[] => ['```', text, '```']

/** Asks whether a solution's final result is right, however it was obtained. */
export function correctnessPrompt({ question, answer, prediction }: Compared, words: BinaryWords = 'yes-no'): string {
  const { right, wrong } = chooseWords(words)
  const rule = '--------------------------------'
  return [
    'You are given a question, the solution and the correct answer. Please determine if the solution matches the correct answer.',
    'Focus only on the mathematical or semantic correctness of the content. Ignore any differences in formatting, such as LaTeX syntax, symbols, styles, or additional wrappers (e.g., \\boxed, $...$, or similar). Compare only the core mathematical or textual meaning of the solution and the correct answer.',
    'The process or reasoning leading to the Solution is irrelevant, ONLY the correctness of the result matters.',
    `Return only "${right}" if the solution is correct or "${wrong}" if it is incorrect.`,
    `Only return "${right}" or "${wrong}" with no additional text or formatting.`,
    '',
    'Question: ',
    question,
    rule,
    'Correct Answer:',
    answer,
    rule,
    'Solution: ',
    prediction,
    rule,
  ].join('\n')
}

/** Asks for the scores of two answers, preferably on a line of their own. */
export function comparativePrompt({
  question,
  responses: [first, second],
  context,
  range: [lowest, highest] = [1, 10],
  instruction = `Please provide scores from ${lowest} to ${highest}.`,
}: {
  readonly question: string
  readonly responses: readonly [string, string]
  readonly context?: string
  readonly range?: readonly [number, number]
  readonly instruction?: string
}): string {
  return [
    'We would like to request your feedback on the performance of two AI assistants in response to the user question displayed above.',
    `Please rate the helpfulness, relevance, accuracy, level of details of their responses. Each assistant receives an overall score on a scale of ${lowest} to ${highest}, where a higher score indicates better overall performance.`,
    'Please first output a single line containing only two values indicating the scores for Assistant 1 and 2, respectively. The two scores are separated by a space.',
    'In the subsequent line, please provide a comprehensive explanation of your evaluation, avoiding any potential bias and ensuring that the order in which the responses were presented does not affect your judgment.',
    '',
    '[Question]',
    question,
    '',
    context === undefined || context === '' ? '' : `[Context]\n${context}\n\n`,
    '',
    '[Assistant 1]',
    first,
    '[End of Assistant 1]',
    '',
    '[Assistant 2]',
    second,
    '[End of Assistant 2]',
    '',
    '[System]',
    instruction,
  ].join('\n')
}

/**
 * Fills a task's prompt template like Python's `str.format`: `{name}` is replaced, `{{` and `}}` are braces.
 *
 * @throws Error if a name has no value, or a brace has no partner.
 */
export function fillPrompt(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{|\}\}|\{(\w+)\}|[{}]/g, (placeholder: string, name: string | undefined) => {
    if (placeholder === '{{') return '{'
    if (placeholder === '}}') return '}'
    if (name === undefined)
      throw new Error(`the prompt has a "${placeholder}" without a partner; a brace itself is written twice`)
    const value = values[name]
    if (value === undefined)
      throw new Error(`the prompt asks for {${name}}, and there is ${Object.keys(values).join(', ')}`)
    return value
  })
}
