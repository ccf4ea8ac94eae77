package lexical

import "testing"

func TestNegationsApplyToTheirWords(t *testing.T) {
	t.Parallel()
	const (
		limit     = "Do not take more than 6 tablets."
		sublet    = "The tenant shall not sublet without written consent."
		offline   = "The app works without an internet connection."
		weekdays  = "Parking is permitted on weekdays, but not on Sundays."
		warranty  = "The warranty covers parts but not labour."
		kit       = "The kit includes a charger but does not include batteries."
		app       = "Deleting the app does not cancel the subscription."
		tickets   = "Tickets cannot be exchanged or refunded."
		tuesday   = "The museum is open every day except Tuesday."
		mondays   = "Closed on Mondays, except on public holidays."
		lactose   = "The product is free of lactose."
		lift      = "The lift is out of order."
		rooms     = "The hotel has 12 rooms."
		tuesdays  = "The meeting is on Tuesday."
		opens     = "The store opens at 9 am."
		built     = "The ship was built in 1935."
		frames    = "Frames come in wood, metal, or a combination of wood and metal."
		noPool    = "The hotel has a gym. There is no pool."
		poolTable = "There is no pool table. The pool is heated."
	)
	testSupport(t, false, [][2]string{
		{limit, "Take more than 6 tablets."},
		{"No fewer than 10 members must vote.", "Fewer than 10 members must vote."},
		{noPool, "There is a pool."},
		{"There isn't a restaurant.", "There is a restaurant."},
		{sublet, "The tenant may sublet without written consent."},
		{offline, "The app doesn't work without an internet connection."},
		{weekdays, "Parking is permitted on Sundays."},
		{warranty, "The warranty covers labour."},
		{kit, "The kit includes batteries."},
		{app, "Deleting the app cancels the subscription."},
		{tickets, "Tickets can be refunded."},
		{tuesday, "The museum is open on Tuesday."},
		{lactose, "The product contains lactose."},
		{"Under no circumstances open the lid.", "Open the lid."},
		{rooms, "The hotel does not have 12 rooms."},
		{rooms, "The hotel does not have more than 10 rooms."},
		{rooms, "No, the hotel has 14 rooms."},
		{"The hotel has up to 12 rooms.", "The hotel does not have 10 rooms."},
		{rooms, "Does the hotel not have 10 rooms?"},
		{rooms, "The inn does not have 10 rooms."},
		{tuesdays, "The meeting is not on Tuesday."},
		{opens, "The store does not open before 10 am."},
		{opens, "The store does not open until 8 am."},
		{built, "The ship was not built in 1935."},
		{"Members who register pay $5.", "Members who do not register pay $8."},
	})
	testSupport(t, true, [][2]string{
		{limit, "Take no more than 6 tablets."},
		{"No fewer than 10 members must vote.", "At least 10 members must vote."},
		{noPool, "There is no pool."},
		{poolTable, "There is a pool."},
		{sublet, "The tenant may not sublet without written consent."},
		{offline, "The app works without an internet connection."},
		{weekdays, "Parking is permitted on weekdays."},
		{weekdays, "Parking is not permitted on Sundays."},
		{warranty, "The warranty covers parts."},
		{kit, "The kit does not include batteries."},
		{kit, "The kit includes a charger."},
		{app, "Deleting the app does not cancel a subscription."},
		{tickets, "Tickets cannot be refunded."},
		{tuesday, "The museum is not open on Tuesday."},
		{mondays, "It is closed on Mondays, but opens when the Monday is a public holiday."},
		{lactose, "The product contains no lactose."},
		{lift, "The lift is out of order."},
		{rooms, "The hotel does not have 10 rooms."},
		{tuesdays, "The meeting is not on Monday."},
		{opens, "The store does not open at 8 am."},
		{built, "The ship was not built in 1920."},
		{frames, "Frames can be made out of wood, metal or a combination of wood and metal."},
	})
}

func TestAnswersOfQuestionsAndLabels(t *testing.T) {
	t.Parallel()
	const (
		faq     = "Q: Is breakfast included?\nA: No.\n\nQ: Is there a gym?\nA: Yes, on the second floor."
		heading = "### Can I return worn shoes?\n**No**, only unworn ones.\n\n### Can I pay by card?\nYes, with Visa and Mastercard."
		form    = "Wi-Fi available: Yes. Pool available: No. Pets allowed: No. Parking: none."
		marks   = "Wi-Fi: ✅\nPool: ❌\nGym: ✅"
	)
	testSupport(t, false, [][2]string{
		{faq, "Breakfast is included."},
		{heading, "You can return worn shoes."},
		{form, "Pets are allowed."},
		{form, "A pool is available."},
		{form, "There is parking."},
		{marks, "There is a pool."},
	})
	testSupport(t, true, [][2]string{
		{faq, "Breakfast is not included."},
		{faq, "There is a gym on the second floor."},
		{heading, "You cannot return worn shoes."},
		{heading, "You can pay by card."},
		{form, "Pets are not allowed."},
		{form, "Wi-Fi is available."},
		{form, "There is no parking."},
		{marks, "There is no pool."},
		{marks, "There is a gym."},
	})
}

func TestNegationsAndOppositesInOtherLanguages(t *testing.T) {
	t.Parallel()
	testSupport(t, false, [][2]string{
		{"L'appartement n'a pas de balcon.", "L'appartement a un balcon."},
		{"Das Museum ist montags geschlossen.", "Das Museum ist montags geöffnet."},
		{"Le musée est fermé le lundi.", "Le musée est ouvert le lundi."},
		{"Los descubiertos están prohibidos para menores.", "Los descubiertos están permitidos para menores."},
	})
	testSupport(t, true, [][2]string{
		{"L'appartement n'a pas de balcon.", "L'appartement n'a pas de balcon, malheureusement."},
		{"Das Museum ist montags geschlossen.", "Montags ist das Museum geschlossen."},
		{"La academia está ubicada en Haynesville no incorporado, cerca de Claiborne.", "La academia está ubicada en Haynesville, cerca de Claiborne."},
	})
}

func TestEllipsisIsNoOtherStatement(t *testing.T) {
	t.Parallel()
	const (
		leave = "Full-time employees get 25 vacation days. Part-time employees get 15."
		pets  = "Cats are allowed. Dogs are not."
		week  = "The store is open Monday to Friday 8-18 and Saturday 9-14."
		rooms = "| Room | Floor | Projector |\n|---|---|---|\n| Alpha | 1 | yes |\n| Beta | 2 | no |"
		trip  = "Not included:\n- Travel insurance\n\nIncluded:\n- Breakfast"
	)
	testSupport(t, true, [][2]string{
		{leave, "Part-time employees get 15 vacation days."},
		{pets, "Dogs are not allowed."},
		{"Anna speaks German. So does Ben.", "Ben speaks German."},
		{"Windows 11 is supported. Windows 7 is not.", "Windows 7 is not supported."},
		{week, "The store is open on Saturday."},
		{week, "The store is open on Wednesday."},
		{rooms, "Alpha has a projector, Beta does not."},
		{trip, "Breakfast is included, but travel insurance is not."},
		{"All employees except interns receive a bonus.", "All employees but interns receive a bonus."},
		{"Le musée est ouvert tous les jours sauf le mardi.", "Le musée est fermé le mardi."},
		{"The app does not have ads. No experience is required.", "The app does not have ads."},
		{"Max. 50 guests.", "At most 50 guests."},
		{"The office is open from Monday to Thursday. It is closed on Fridays.", "It is not open on Fridays."},
		{"Delivery is free except on islands, where it costs 10 euros.", "Delivery costs 10 euros on islands."},
	})
	testSupport(t, false, [][2]string{
		{week, "The store is open on Sunday."},
		{"Everyone except Anna passed the test.", "Anna passed the test."},
		{"Le musée est ouvert tous les jours sauf le mardi.", "Le musée est ouvert le mardi."},
	})
}
