import {
  type Consequence,
  type ShownChange,
  type StatusProblem,
  type StatusReport,
  type TroubledSource,
} from '@sluice/console-api';
import { Link, type LinkProps } from '@tanstack/react-router';
import { partNames, parts, listNamedParts, listProblems } from '../../data/status';
import { Badge } from '../../ui/badge';
import { Icon } from '../../ui/icon';
import { countWords, exactText } from '../../ui/number';
import { Sent } from '../../ui/sent';
import { Skeleton } from '../../ui/skeleton';
import { Age, Time } from '../../ui/zone';
import { describeTrouble } from '../sources/source-trouble';
import { ChangeLink, renderSourceLink } from '../watch/changes';
import './verdicts.css';

const choosePage = (part: StatusProblem['part']): LinkProps['to'] =>
  part === 'deadLetters' ? '/dead-letters' : part === 'sources' ? '/sources' : '/pipeline';

interface VerdictsProps {
  report: StatusReport;
  /** Changes that the watch found and nobody muted, newest first. */
  openChanges: readonly ShownChange[];
  isOld: boolean;
}

/**
 * Problems first, each with what it means and what to do; the healthy parts in one line. Verdicts of a report that is no
 * longer that of now are grey, and none of them says OK.
 */
export function Verdicts({ report, openChanges, isOld }: VerdictsProps) {
  const problems = listProblems(report);
  const bad = new Set(problems.flatMap(listNamedParts));
  const healthy = parts.filter(([part]) => !bad.has(part) && report[part].verdict === 'ok');
  return (
    <ul className={`verdicts ${isOld ? 'verdicts-old' : ''}`} aria-label="Verdicts">
      {problems.map((problem) => (
        <Problem key={problem.id} problem={problem}>
          {problem.part === 'sources' && <TroubledSources sources={report.sources.sources} />}
        </Problem>
      ))}
      {openChanges.length > 0 && <OpenChanges changes={openChanges} />}
      {healthy.length > 0 && (
        <li className="healthy">
          <Badge state={isOld ? 'unknown' : 'ok'} text={okText(problems.length + openChanges.length === 0, isOld)} />
          {healthy.map(([part, name]) => (
            <Link key={part} to={choosePage(part)} title={report[part].summary}>
              {name}
            </Link>
          ))}
        </li>
      )}
    </ul>
  );
}

const okText = (isAll: boolean, isOld: boolean): string => {
  const ok = isAll ? 'All OK' : 'OK';
  return isOld ? `Was ${ok}` : ok;
};

function Problem({ problem, children }: { problem: StatusProblem; children: React.ReactNode }) {
  const { part, verdict, summary, since, meaning, action, runbook, consequences = [] } = problem;
  return (
    <li className={`problem problem-${verdict}`}>
      <div className="problem-head">
        <Badge state={verdict} />
        <Link to={choosePage(part)}>
          <strong>{partNames[part]}</strong>
        </Link>
        <strong>
          <Summary text={summary} />
        </strong>
        {since && (
          <span className="small soft problem-since">
            since <Time at={since} /> (<Age at={since} />)
          </span>
        )}
      </div>
      {children}
      {meaning && <p className="soft">{meaning}</p>}
      {(action || runbook) && (
        <p className="problem-action">
          <Icon name="right" size={14} />
          <span>
            {action}
            {runbook && (
              <>
                {' '}
                <RunbookLink runbook={runbook} />
              </>
            )}
          </span>
        </p>
      )}
      {consequences.length > 0 && <Consequences all={consequences} />}
    </li>
  );
}

const maxNamedSources = 5;

/** The sources themselves, the most refused first. */
const TroubledSources = ({ sources }: { sources: readonly TroubledSource[] }) => (
  <ul>
    {sources.slice(0, maxNamedSources).map((source) => (
      <li key={source.sourceIdentifier}>
        <Link to="/sources/$id" params={{ id: source.sourceIdentifier }}>
          <Sent text={source.name || source.sourceIdentifier} />
        </Link>
        {`: ${describeTrouble(source)}`}
      </li>
    ))}
    {sources.length > maxNamedSources && (
      <li className="soft">{`and ${sources.length - maxNamedSources} other sources`}</li>
    )}
  </ul>
);

const maxNamedChanges = 5;

/** The verdict about changed data: the servers are well, and messages are missing or different. */
const OpenChanges = ({ changes }: { changes: readonly ShownChange[] }) => (
  <li className="problem problem-attention">
    <div className="problem-head">
      <Badge state="attention" />
      <Link to="/changes">
        <strong>Changes</strong>
      </Link>
      <strong>{`${countWords(changes.length, 'change', 'changes')} of what arrives`}</strong>
      <span className="small soft problem-since">
        the newest <Age at={changes[0]?.found} />
      </span>
    </div>
    <ul>
      {changes.slice(0, maxNamedChanges).map((change) => (
        <li key={change.id}>
          {renderSourceLink(change)}: <ChangeLink change={change} />
        </li>
      ))}
      {changes.length > maxNamedChanges && (
        <li>
          <Link to="/changes">{`and ${exactText(changes.length - maxNamedChanges)} more`}</Link>
        </li>
      )}
    </ul>
    <p className="problem-action">
      <Icon name="right" size={14} />
      <span>
        Open each: its page says since when, and with which version or host. <RunbookLink runbook="#eventschanged" />
      </span>
    </p>
  </li>
);

/** Folds the consequences of a problem, which need no action of their own. */
const Consequences = ({ all }: { all: readonly Consequence[] }) => (
  <details className="consequences">
    <summary>{`Follows from this: ${all.map(({ part }) => partNames[part]).join(', ')}`}</summary>
    <ul>
      {all.map(({ part, verdict, summary }) => (
        <li key={part}>
          <Badge state={verdict} />
          <Link to={choosePage(part)}>{partNames[part]}</Link>
          <span className="soft">
            <Summary text={summary} />
          </span>
        </li>
      ))}
    </ul>
  </details>
);

const RunbookLink = ({ runbook }: { runbook: string }) => (
  <Link to="/runbooks/$id" params={{ id: runbook.split('#')[1] ?? '' }}>
    Runbook
  </Link>
);

/** A summary; runbooks that it names are links. */
const Summary = ({ text }: { text: string }) =>
  text
    .split(/(docs\/[\w-]+\.md#[\w-]+)/)
    .map((part, index) => (index % 2 === 0 ? part : <RunbookLink key={index} runbook={part} />));

export const VerdictsPlace = () => (
  <div className="verdicts">
    <div className="healthy">
      <Skeleton lines={1} />
    </div>
  </div>
);
