import type { Draft } from '@/app/_form/form-draft'
import type { FormField } from '@/app/_form/form-field'
import type { Json } from '@/sdk/types'

/** More options than these are a list to choose from, not a row of buttons. */
const MAX_BUTTONS = 5

export type DecisionOption = { label: string; draft: Draft; look: 'solid' | 'danger' | 'outline' }

/**
 * An answer that one press gives: a yes or no, or one of a few words. `at` is the member of the answer that it sets; null when
 * it is the whole answer. `rest` is what a person may fill in besides, null for nothing.
 */
export type Decision = { title: string | null; at: string | null; options: DecisionOption[]; rest: FormField | null }

/** The decision that a form comes down to: the form itself, or its only required field when that is one of few. */
export function decisionOf(field: FormField): Decision | null {
  const whole = optionsOf(field, field.title ?? '')
  if (whole !== null) return { title: field.title, at: null, options: whole, rest: null }
  if (field.kind !== 'object') return null
  const [deciding, another] = field.fields.filter((each) => each.isRequired)
  if (deciding === undefined || another !== undefined) return null
  const options = optionsOf(deciding.field, deciding.field.title ?? deciding.name)
  if (options === null) return null
  const others = field.fields.filter((each) => each !== deciding)
  return {
    title: deciding.field.description ?? deciding.field.title,
    at: deciding.name,
    options,
    rest: others.length === 0 ? null : { ...field, fields: others },
  }
}

/** The draft of the whole answer when `option` is pressed with `rest` filled in. */
export function decide(decision: Decision, option: DecisionOption, rest: Draft): Draft {
  if (decision.at === null) return option.draft
  return { ...(typeof rest === 'object' && !Array.isArray(rest) ? rest : {}), [decision.at]: option.draft }
}

function optionsOf(field: FormField, name: string): DecisionOption[] | null {
  if (field.kind === 'boolean') {
    const asksForApproval = /approv|accept|allow|ok\b/i.test(name)
    return [
      { label: asksForApproval ? 'Approve' : 'Yes', draft: true, look: 'solid' },
      { label: asksForApproval ? 'Reject' : 'No', draft: false, look: asksForApproval ? 'danger' : 'outline' },
    ]
  }
  if (field.kind !== 'choice' || field.options.length > MAX_BUTTONS) return null
  return field.options.map((option) => ({ label: wordOf(option), draft: JSON.stringify(option), look: lookOf(option) }))
}

function wordOf(option: Json): string {
  if (typeof option !== 'string') return JSON.stringify(option)
  const words = option.replaceAll(/[-_]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function lookOf(option: Json): DecisionOption['look'] {
  if (option === 'approve' || option === 'approved' || option === 'yes') return 'solid'
  return option === 'reject' || option === 'rejected' || option === 'deny' ? 'danger' : 'outline'
}
