// Notification channels, alert rules, how sending went.
import { call } from './client';
import { collection } from './settings';
import type { AlertSettings, ChannelSettings } from './settings_types';
import type { TestStage } from './types';

export interface Channel extends ChannelSettings {
  id: string;
  password_set: boolean;
  url_set: boolean;
  secret_set: boolean;
  origin: string;
  etag: string;
}

export interface Alert extends AlertSettings {
  id: string;
  etag: string;
}

export interface ChannelTest {
  verdict: 'accepted' | 'failed';
  text: string;
  stages: TestStage[];
}

export interface Sending {
  time_ms: number;
  channel: string;
  name: string;
  subject: string;
  notifications: number;
  attempt: number;
  sent: boolean;
  text: string;
}

export interface NotifyStatus {
  channels: { id: string; waiting: number; next_ms: number | null; dropped: number }[];
  active: string[];
  history: Sending[];
  overtaken: number;
  notice: string;
}

export const channels_api = {
  ...collection<Channel, Partial<Channel>>('notify/channels'),
  test: (channel: Partial<Channel>) => call<ChannelTest>('POST', '/notify/test', { body: channel }),
};
export const alerts_api = collection<Alert, Partial<Alert>>('notify/alerts');
export const notify_status = (signal?: AbortSignal): Promise<NotifyStatus> => call<NotifyStatus>('GET', '/notify/status', signal ? { signal } : {});
