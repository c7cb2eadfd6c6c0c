export { messages, score, submission } from '../_shared/documents.js'
