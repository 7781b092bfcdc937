// The report of a span, longer than the ring reaches: sums beside the span before, events over time, top lists. Made to be printed.
import { useRef, useState } from 'preact/hooks';
import { read_report, type ActionCounts, type Report, type ReportRow } from '../api/report';
import type { Me } from '../api/types';
import { count_text, date_text, time_text, zone_name } from '../lib/format';
import { use_load } from '../state/load';
import { go, href_with, use_route } from '../state/route';
import { attack_words, say, t } from '../text';
import { Bars, Marks, Ticks, Tip } from '../ui/bars';
import { Button } from '../ui/button';
import { Segments } from '../ui/field';
import { Hostile } from '../ui/hostile';
import { Card, Empty, Notice, Pending } from '../ui/panel';
import { Table } from '../ui/table';
import { Change } from './traffic_card';

const height = 150;
const day_ms = 86_400_000;
const refresh_ms = 60_000;
const kinds = ['deny', 'monitor', 'allow'] as const;
const spans = ['1', '7', '30', '90', '365'];
const first_span = '7';

const counts_of = (counts: ActionCounts): number[] => kinds.map((kind) => counts[kind]);

// The end of the present hour: all that is counted is within.
const span_end = (): number => (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000;

function Sums({ report }: { report: Report }) {
  // What was before is known only where counting had begun.
  const known = report.begins_ms !== null && report.begins_ms <= report.from - (report.to - report.from);
  const sum = (name: keyof Report['totals'], text: string) => (
    <div key={name}><dt>{name !== 'requests' && name !== 'unjudged' && <i class={`swatch swatch-${name}`} aria-hidden="true" />}{text}</dt>
      <dd data-testid={`report-${name}`}>{count_text(report.totals[name])}</dd><Change now={report.totals[name]} before={known ? report.before[name] : undefined} /></div>
  );
  return <dl class="traffic-sums">{sum('requests', t.overview.requests)}{kinds.map((kind) => sum(kind, t.action[kind]))}{sum('unjudged', t.report.unjudged)}</dl>;
}

function TrendChart({ report }: { report: Report }) {
  const box = useRef<SVGSVGElement>(null);
  const [pointed, set_pointed] = useState(-1);
  const columns = report.buckets.map(counts_of);
  const told = report.buckets[pointed];
  const point = (event: PointerEvent): void => {
    const rect = (box.current as SVGSVGElement).getBoundingClientRect();
    set_pointed(Math.max(0, Math.min(columns.length - 1, Math.floor(((event.clientX - rect.left) / rect.width) * columns.length))));
  };
  return (
    <>
      <div class="bars-keys">
        <svg ref={box} class="bars bars-tall" viewBox={`0 0 ${Math.max(1, columns.length)} ${height}`} preserveAspectRatio="none" role="img" aria-label={say(t.report.chart_told, { denied: count_text(report.totals.deny) })} onPointerMove={point} onPointerLeave={() => set_pointed(-1)}>
          <Bars columns={columns} kinds={kinds} height={height} />
        </svg>
        <Marks columns={columns} height={height} />
        {told && (
          <Tip share={(pointed + 0.5) / columns.length} title={say(t.events.in_bucket, { from: time_text(told.t), to: time_text(told.t + report.bucket_ms) })} testid="report-tip">
            {kinds.map((kind) => <div key={kind}><span><i class={`swatch swatch-${kind}`} />{t.action[kind]}</span> <span class="num">{count_text(told[kind])}</span></div>)}
          </Tip>
        )}
      </div>
      <Ticks from={report.from} to={report.to} />
      <div class="bars-axis" aria-hidden="true"><span>{time_text(report.from)}</span><span>{say(t.events.times_in, { zone: zone_name() })}</span><span>{time_text(report.to)}</span></div>
    </>
  );
}

function Top({ title, rows, name, testid }: { title: string; rows: readonly ReportRow[]; name?: (row: ReportRow) => string; testid: string }) {
  const named = (row: ReportRow): string => (row.value === '' ? t.report.others : name ? name(row) : row.name);
  return (
    <Card title={title} testid={testid}>
      {rows.length === 0 ? <p class="muted">{t.common.none}</p> : (
        <Table row_testid={`${testid}-row`} rows={rows} key_of={(row) => row.value} columns={[
          { id: 'name', title, draw: (row) => <Hostile text={named(row)} />, sort: named },
          ...kinds.map((kind) => ({ id: kind, title: t.action[kind], kind: 'number' as const, width: '120px', draw: (row: ReportRow) => count_text(row[kind]), sort: (row: ReportRow) => row[kind] })),
        ]} />
      )}
    </Card>
  );
}

export function ReportPage({ me }: { me: Me }) {
  const { params } = use_route();
  const days = spans.find((span) => span === params.get('days')) ?? first_span;
  const report = use_load(days, (signal) => {
    const to = span_end();
    return read_report({ from: to - Number(days) * day_ms, to }, signal);
  }, refresh_ms);
  const r = report.value;
  return (
    <div class="page report" data-testid="report">
      <header class="section-head">
        <div><h1>{t.report.title}</h1><p class="lead">{r ? say(t.report.lead, { node: me.node, from: time_text(r.from), to: time_text(r.to), zone: zone_name() }) : ''}</p></div>
        <span class="section-actions no-print">
          <Segments label={t.report.span} value={days} onChange={(span) => go(href_with({ days: span }))} options={spans.map((span) => [span, say(t.report.days, { n: Number(span) })])} />
          <Button icon="download" onClick={() => print()} data-testid="report-print">{t.report.print}</Button>
        </span>
      </header>
      <Pending of={report} />
      {r && r.begins_ms === null && <Empty title={t.report.empty}><p>{t.report.empty_text}</p></Empty>}
      {r && r.begins_ms !== null && (
        <>
          {r.begins_ms > r.from && <Notice tone="info">{say(t.report.begins, { date: date_text(r.begins_ms) })}</Notice>}
          <Card title={t.report.sums} testid="report-sums"><Sums report={r} /></Card>
          <Card title={t.report.chart} testid="report-chart"><TrendChart report={r} /></Card>
          <div class="report-tops">
            <Top title={t.report.types} rows={r.types} name={(row) => attack_words(row.value)} testid="report-types" />
            <Top title={t.report.sites} rows={r.sites} testid="report-sites" />
            <Top title={t.report.rules} rows={r.rules} testid="report-rules" />
          </div>
        </>
      )}
    </div>
  );
}
