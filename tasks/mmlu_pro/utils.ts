import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { lettered, text, texts } from '../_shared/options.js'

/** The question with its options, and the start of the answer. */
export const question = (doc: Doc): string => `${renderQuestion(doc)}Answer: Let's think step by step.`

/** An example's question, up to where its answer begins. */
export const exampleQuestion = (doc: Doc): string => `${renderQuestion(doc)}Answer:`

/** The worked answer that the dataset has for it. */
export const workedAnswer = (doc: Doc): string => text(doc['cot_content'], 'cot_content').replace(/^A: /, '')

function renderQuestion(doc: Doc): string {
  const options = lettered(texts(doc['options'], 'options'))
  return `Question:\n${text(doc['question'], 'question')}\nOptions:\n${options.map(option => `${option}\n`).join('')}`
}

/** Keeps the docs of one category. */
const of =
  (category: string) =>
  (docs: DocList): DocList =>
    docs.filter(doc => doc['category'] === category)

export const ofBiology = of('biology')
export const ofBusiness = of('business')
export const ofChemistry = of('chemistry')
export const ofComputerScience = of('computer science')
export const ofEconomics = of('economics')
export const ofEngineering = of('engineering')
export const ofHealth = of('health')
export const ofHistory = of('history')
export const ofLaw = of('law')
export const ofMath = of('math')
export const ofOther = of('other')
export const ofPhilosophy = of('philosophy')
export const ofPhysics = of('physics')
export const ofPsychology = of('psychology')
