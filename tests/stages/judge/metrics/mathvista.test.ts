import {
  extractMathVistaAnswer,
  isMathVistaAnswer,
  normaliseMathVistaAnswer,
  type MathVistaProblem,
} from '../../../../stages/judge/helpers/benchmarks/mathvista.js'
import { describeGolden } from '../../../support/golden-functions.js'

interface Problem {
  readonly question_type: MathVistaProblem['questionType']
  readonly answer_type: MathVistaProblem['answerType']
  readonly choices: readonly string[] | null
}
interface Extraction extends Problem {
  readonly extraction: string
  readonly precision: number | null
}

const problemOf = ({ question_type: questionType, answer_type: answerType, choices }: Problem): MathVistaProblem => ({
  questionType,
  answerType,
  choices: choices ?? [],
})

describeGolden('lmms_mathvista', {
  'mathvista.extract_answer': ({ response, problem }: { response: string; problem: Problem }) => ({
    extraction: extractMathVistaAnswer(response, problemOf(problem)) ?? '<judge>',
  }),
  'mathvista.normalize_extracted_answer': (input: Extraction) => ({
    prediction: normaliseMathVistaAnswer(input.extraction, problemOf(input), input.precision) ?? null,
  }),
  'mathvista.safe_equal': ({ prediction, answer }: { prediction: string | number; answer: string | number }) => ({
    equal: isMathVistaAnswer(String(prediction), String(answer)),
  }),
})
