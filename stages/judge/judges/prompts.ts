/**
 * The prompts of `model_graded`, for entries without one. The fence's rule is added before a prompt, and the form of
 * the verdict after it.
 *
 * Sources, whose instructions are adapted to fenced texts and verdict lines:
 *
 * - binary: lmms-eval 0.7.2 (MIT), `llm_judge/prompt.py`, its binary prompt.
 * - likert and comparative: FastChat (Apache-2.0), `llm_judge/data/judge_prompts.jsonl`, single-v1 and pair-v2;
 *   Zheng et al. 2023, "Judging LLM-as-a-Judge", for asking in both orders.
 * - rubric: the idea of simple-evals (MIT), `healthbench_eval.py`: each criterion is graded apart. The wording is ours.
 * - extract: the idea of MathVista's answer extraction (Lu et al. 2023). The wording is ours.
 * - form: the form-filling paradigm of G-Eval (Liu et al. 2023). The wording is ours.
 */
import type { GradedTexts } from './graded-question.js'

type ShownTexts = Pick<GradedTexts, 'question' | 'reference'>

const questionPart = ({ question }: ShownTexts): readonly string[] =>
  question === undefined ? [] : ['# Question', '{question}', '']

const referencePart = ({ reference }: ShownTexts): readonly string[] =>
  reference === undefined ? [] : ['# Reference answer', '{reference}', '']

const answerPart = ['# Answer to grade', '{answer}', '']

/** Asks whether an answer says the same as the reference. */
export const binaryTemplate = (sections: ShownTexts): string =>
  [
    'You are a strict evaluator. Decide whether the answer to grade is correct, by comparing it with the reference answer.',
    '',
    ...questionPart(sections),
    ...referencePart(sections),
    ...answerPart,
    '# Rules',
    '- The answer may contain reasoning. Grade its final answer.',
    '- If there are several reference answers, one a line, it is enough to match one of them.',
    '- For multiple-choice questions, the option letter and the content of the option count alike.',
    '- The answer is correct if it means the same as the reference, in whatever form.',
    '- It is incorrect if it is partly correct, or adds something that is wrong.',
    '- Ignore differences of formatting, letter case and spacing. Numbers match within reasonable precision, with their units.',
  ].join('\n')

/** Asks for a grade from `{low}` to `{high}`. */
export const likertTemplate = (sections: ShownTexts): string =>
  [
    'Act as an impartial judge and evaluate the quality of the answer. Consider its helpfulness, relevance, accuracy, depth and level of detail. Be as objective as possible.',
    '',
    ...questionPart(sections),
    ...referencePart(sections),
    ...answerPart,
    'Explain your evaluation briefly. Then grade the answer on a scale from {low}, the worst, to {high}, the best.',
  ].join('\n')

/** Asks for a grade of each of `{criteria}`. */
export const rubricTemplate = (sections: ShownTexts): string =>
  [
    'Grade the answer by each of the criteria below. Grade each criterion on its own, whatever the others say.',
    '',
    ...questionPart(sections),
    ...referencePart(sections),
    ...answerPart,
    '# Criteria',
    '{criteria}',
  ].join('\n')

/** Asks for the final answer of a longer text. */
export const extractTemplate = (sections: ShownTexts): string =>
  [
    'Find the final answer that the text below gives. Copy it as it stands, without reasoning. Do not answer the question yourself, and do not correct the answer.',
    '',
    ...questionPart(sections),
    '# Text',
    '{answer}',
  ].join('\n')

/** Asks for a JSON object of `{schema}`. */
export const formTemplate = (sections: ShownTexts): string =>
  [
    'Evaluate the answer, and fill in the form. The form is a JSON object of this JSON schema:',
    '{schema}',
    '',
    ...questionPart(sections),
    ...referencePart(sections),
    ...answerPart,
  ].join('\n')

/** Asks which of two answers is better. */
export const comparativeTemplate = (sections: ShownTexts): string =>
  [
    'Act as an impartial judge and compare two answers. Consider their helpfulness, relevance, accuracy, depth and level of detail. The order and the length of the answers must not influence you. Be as objective as possible.',
    '',
    ...questionPart(sections),
    '# Answer A',
    '{first}',
    '',
    '# Answer B',
    '{second}',
    '',
    'Explain your comparison briefly. Then say which answer is better.',
  ].join('\n')
