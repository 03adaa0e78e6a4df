import { type StatusProblem, type StatusReport } from '@sluice/console-api';
import { Link, type LinkProps } from '@tanstack/react-router';
import { partNames, parts, problemsOf } from '../../data/status';
import { Badge } from '../../ui/badge';
import { Icon } from '../../ui/icon';
import { Skeleton } from '../../ui/skeleton';
import { Age, Time } from '../../ui/zone';
import './verdicts.css';

const pageOf = (part: StatusProblem['part']): LinkProps['to'] =>
  part === 'deadLetters' ? '/dead-letters' : '/pipeline';

/** Problems first, each with what it means and what to do; the healthy parts in one line. */
export function Verdicts({ report }: { report: StatusReport }) {
  const problems = problemsOf(report);
  const bad = new Set(problems.map(({ part }) => part));
  const healthy = parts.filter(([part]) => !bad.has(part) && report[part].verdict === 'ok');
  return (
    <ul className="verdicts" aria-label="Verdicts">
      {problems.map((problem) => (
        <Problem key={problem.id} problem={problem} />
      ))}
      {healthy.length > 0 && (
        <li className="healthy">
          <Badge state="ok" text={problems.length === 0 ? 'All OK' : 'OK'} />
          {healthy.map(([part, name]) => (
            <Link key={part} to={pageOf(part)} title={report[part].summary}>
              {name}
            </Link>
          ))}
        </li>
      )}
    </ul>
  );
}

function Problem({ problem: { part, verdict, summary, since, meaning, action, runbook } }: { problem: StatusProblem }) {
  return (
    <li className={`problem problem-${verdict}`}>
      <div className="problem-head">
        <Badge state={verdict} />
        <Link to={pageOf(part)}>
          <strong>{partNames[part]}</strong>
        </Link>
        <strong>{summary}</strong>
        {since && (
          <span className="small soft problem-since">
            since <Time at={since} /> (<Age at={since} />)
          </span>
        )}
      </div>
      {meaning && <p className="soft">{meaning}</p>}
      {(action || runbook) && (
        <p className="problem-action">
          <Icon name="right" size={14} />
          <span>
            {action}
            {runbook && (
              <span className="small soft">
                {' '}
                Runbook: <code>{runbook}</code>
              </span>
            )}
          </span>
        </p>
      )}
    </li>
  );
}

export const VerdictsPlace = () => (
  <div className="verdicts">
    <div className="healthy">
      <Skeleton lines={1} />
    </div>
  </div>
);
