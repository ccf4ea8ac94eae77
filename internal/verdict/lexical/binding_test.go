package lexical

import "testing"

func TestValuesBelongToWhatTheContextsSayThemOf(t *testing.T) {
	t.Parallel()
	const (
		days     = "Refunds take 5 days. Exchanges take 10 days."
		ages     = "Emma is 34 years old. Her brother Paul is 29 years old."
		delivery = "Standard delivery costs $4. Express delivery costs $9."
		life     = "She was born on 3 March 1952 and died on 12 June 2010."
		specs    = "It has 16 GB of RAM and 512 GB of storage."
		prices   = "Adults pay £10; students pay £6 with valid ID."
		cities   = "Hotels are reimbursed up to 130 euros per night, in Lisbon and Oslo up to 180 euros."
		editions = "The first edition appeared in 1990, the second in 1995."
		wins     = "Anna won the race in 2019. In 2021 she won it again."
		yearly   = "The plan costs $12 a month. If you pay yearly, it is $10 a month."
	)
	testSupport(t, false, [][2]string{
		{days, "Refunds take 10 days."},
		{ages, "Emma is 29 years old."},
		{ages, "Paul is 34 years old."},
		{delivery, "Express delivery costs $4."},
		{life, "She died on 3 March 1952."},
		{life, "She was born on 12 June 2010."},
		{specs, "It has 512 GB of RAM."},
		{specs, "It has 16 GB of storage."},
		{prices, "Adults pay £6."},
		{editions, "The first edition appeared in 1995."},
		{"Tom works from Monday to Wednesday. Sue works from Thursday to Saturday.", "Tom works on Friday."},
	})
	testSupport(t, true, [][2]string{
		{days, "Refunds take 5 days."},
		{ages, "Paul is 29 years old."},
		{delivery, "Delivery costs $4."},
		{life, "She died on 12 June 2010."},
		{specs, "It has 512 GB of storage."},
		{prices, "Students pay £6."},
		{cities, "In Lisbon, hotels are reimbursed up to 180 euros per night."},
		{editions, "The second edition appeared in 1995."},
		{wins, "Anna won in 2021."},
		{yearly, "The plan costs $10 a month."},
		{"The train leaves at 9:00 and arrives at 11:30.", "The train gets there at 11:30."},
		{"The store opens at 9 am and closes at 6 pm on Sundays.", "The store opens at 9 am on Sundays."},
		{"Mark England was chef de mission of Team GB for the Baku 2015 Games. England was appointed on 29 April 2014.", "Mark England, chef de mission of Team GB, was appointed on 29 April 2014."},
	})
}
