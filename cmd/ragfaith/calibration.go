package main

import (
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
)

// applyCalibration takes the threshold of the file of --calibration, unless
// --threshold is set.
func (o *scoreOptions) applyCalibration(warn func(error)) error {
	switch {
	case o.calibration == "":
		return nil
	case o.judge == withLLM:
		return usagef("--calibration does not go with --judge llm: the model's verdict decides, or the majority of --votes")
	}
	c, err := calibrate.Read(o.calibration)
	if err != nil {
		return err
	}
	if o.threshold != nil {
		warn(fmt.Errorf("--threshold wins, and --calibration %s changes nothing", o.calibration))
		return nil
	}
	t := float64(c.Threshold)
	o.threshold, o.calibrated = &t, c
	return nil
}

// checkCalibration finds a calibration that was made for another judge.
func (o *scoreOptions) checkCalibration(settled journal.Settings, warn func(error)) error {
	if o.calibrated == nil {
		return nil
	}
	var names report.SummaryNames
	for _, s := range settled {
		names = append(names, report.SummaryName{Name: s.Name, Value: s.Value})
	}
	refused, doubtful := o.calibrated.Match(names, version())
	if len(refused) > 0 {
		return usagef("--calibration %s was made for another judge: %s", o.calibration, strings.Join(refused, "; "))
	}
	for _, d := range doubtful {
		warn(fmt.Errorf("--calibration %s may not fit: %s", o.calibration, d))
	}
	return nil
}

// calibrationNote says in a report which calibration was used, "" for none.
func (o *scoreOptions) calibrationNote() string {
	if o.calibrated == nil {
		return ""
	}
	return "calibration " + o.calibrated.String()
}

// calibrationSetting is what tells results by one calibration from those by
// another.
func (o *scoreOptions) calibrationSetting() journal.Settings {
	if o.calibrated == nil {
		return nil
	}
	return journal.Settings{{Name: "--calibration", Value: o.calibrated.Name()}}
}
