import type { Doc, DocList } from '../../stages/input/tasks/doc.js'
import { capitalised } from '../_shared/question.js'
import { text, texts } from '../_shared/options.js'
import { withoutMarkup } from '../_shared/wikihow-text.js'

/** Adds `query`, `choices` and the index `gold` of the right choice to each doc. */
export const withQueries = (docs: DocList): DocList => docs.map(doc => ({ ...doc, ...makeQuery(doc) }))

function makeQuery(doc: Doc): Doc {
  const start = text(doc['ctx_a'], 'ctx_a')
  const goesOn = capitalised(text(doc['ctx_b'], 'ctx_b'))
  return {
    query: withoutMarkup(`${text(doc['activity_label'], 'activity_label')}: ${start} ${goesOn}`),
    choices: texts(doc['endings'], 'endings').map(withoutMarkup),
    gold: Number(doc['label']),
  }
}
