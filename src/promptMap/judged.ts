// The assistants that Sealed Proxy can configure, as the list of senders needs them. Pure.
import type { AssistantState } from '../assistants/assistantService.ts';
import type { JudgedAssistant } from './assistantSenders.ts';

export function judged({ assistant, configState, detected, judgement }: AssistantState): JudgedAssistant {
  const { id, name, extension } = assistant;
  // The editor has its list of Custom Endpoints whether or not anyone uses it.
  const isInUse = detected && id !== 'custom-endpoint';
  return {
    id,
    name,
    extension,
    isPresent: isInUse || configState.kind !== 'absent',
    isConnected: configState.kind === 'current',
    judgement,
  };
}
