/** What is stored, and so what the stages say to each other. Plain data; every field is JSON. */
export { isPermanent, permanentFailures, type Failure, type FailureClass } from './records/failure.js'
export type * from './records/json-object.js'
export type * from './records/messages.js'
export { codeKeyKinds } from './records/request.js'
export type * from './records/request.js'
export type * from './records/response.js'
export type * from './records/run.js'
export type * from './records/score.js'
