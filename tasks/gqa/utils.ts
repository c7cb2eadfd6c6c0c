export { question } from '../_shared/question.js'
