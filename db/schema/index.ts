export * from './access'
export * from './cas'
export * from './registry'
export * from './threads'
