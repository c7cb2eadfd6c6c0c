export { documentSubmission as submission } from '../_shared/document-submission.js'
export { question } from '../_shared/question.js'
