export { messages, score, submission } from '../_shared/reasoned-documents.js'
