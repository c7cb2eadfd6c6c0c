export { documentSubmission as submission } from '../_shared/documents.js'
export { question } from '../_shared/question.js'
